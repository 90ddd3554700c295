package worker

import (
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is the GC percentage of a worker. The default of 100 leaves 4 MB for everything,
// which fills up soon.
const garbage = 150

// tidier collects garbage after a run, so that the next run need not. Nobody waits for it:
// the caller has its answer, and rarely asks again at once. A collection while nothing else
// runs takes about half a millisecond.
type tidier struct {
	samples [2]metrics.Sample
	memory  int64 // the memory limit of the last run
}

func newTidier() *tidier {
	debug.SetGCPercent(garbage)
	return &tidier{samples: [2]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/goal:bytes"}}}
}

// within makes the collector work harder before the host kills the worker.
func (t *tidier) within(memory int64) {
	if t != nil && memory > 0 && memory != t.memory {
		t.memory = memory
		debug.SetMemoryLimit(memory / 8 * 7) // which stops the world
	}
}

// up collects garbage if the heap has reached two thirds of its goal.
func (t *tidier) up() {
	if t == nil {
		return
	}
	metrics.Read(t.samples[:])
	if heap, goal := t.samples[0].Value.Uint64(), t.samples[1].Value.Uint64(); heap > goal/3*2 {
		goruntime.GC()
	}
}
