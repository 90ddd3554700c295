package worker

import (
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how much of it a worker lets lie, in percent of what lives, until
// its Go runtime collects it beside the run. The runtime's own 100 leaves 4 MB
// for all, which is soon full.
const garbage = 150

// tidier collects garbage when a run is over, long before it must be collected
// beside the next one. A run waits for neither then: its caller has the answer,
// and rarely asks again at once. A collection that nothing else goes on beside
// is a cheap one as well, about half a millisecond.
type tidier struct {
	samples [2]metrics.Sample
	memory  int64 // what the last run was let have
}

func newTidier() *tidier {
	debug.SetGCPercent(garbage)
	return &tidier{samples: [2]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/goal:bytes"}}}
}

// within makes the collector work harder before the host loses patience.
func (t *tidier) within(memory int64) {
	if t != nil && memory > 0 && memory != t.memory {
		t.memory = memory
		debug.SetMemoryLimit(memory / 8 * 7) // which stops the world
	}
}

// up collects if two thirds of what may lie are there.
func (t *tidier) up() {
	if t == nil {
		return
	}
	metrics.Read(t.samples[:])
	if heap, goal := t.samples[0].Value.Uint64(), t.samples[1].Value.Uint64(); heap > goal/3*2 {
		goruntime.GC()
	}
}
