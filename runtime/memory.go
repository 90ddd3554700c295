package runtime

import (
	goruntime "runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// How often the heap is measured. Most runs end before the first time.
const (
	firstLook  = 5 * time.Millisecond
	lookEvery  = 5 * time.Millisecond
	collectGap = 100 * time.Millisecond
)

const heapMetric = "/memory/classes/heap/objects:bytes"

// memoryWatch interrupts a run when the heap has grown by more than a limit. The heap is that
// of the whole process: nobody knows which part is the script's.
type memoryWatch struct {
	alarm     atomic.Bool
	interrupt func()
	limit     int64

	mu        sync.Mutex
	timer     *time.Timer
	over      bool
	base      int64
	peak      int64
	collected time.Time
}

func watchMemory(limit int64, interrupt func()) *memoryWatch {
	w := &memoryWatch{interrupt: interrupt, limit: limit, base: -1}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(firstLook, w.look)
	return w
}

func heapBytes() int64 {
	sample := []metrics.Sample{{Name: heapMetric}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

func (w *memoryWatch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	heap := heapBytes()
	if w.base < 0 {
		w.base = heap
	}
	w.peak = max(w.peak, heap-w.base)
	if heap-w.base > w.limit && time.Since(w.collected) > collectGap {
		// Garbage does not count.
		goruntime.GC()
		w.collected = time.Now()
		if heapBytes()-w.base > w.limit {
			w.alarm.Store(true)
			w.interrupt()
			return
		}
	}
	w.timer.Reset(lookEvery)
}

func (w *memoryWatch) rang() bool { return w.alarm.Load() }

// stop ends the watch and returns how far the heap grew.
func (w *memoryWatch) stop() int64 {
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	return w.peak
}
