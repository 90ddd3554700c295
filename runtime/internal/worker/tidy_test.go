package worker

import (
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// TestTidy: garbage is collected before it is as much as it may be.
func TestTidy(t *testing.T) { //nolint:paralleltest // it is about the whole process
	defer debug.SetGCPercent(100)
	tidier := newTidier()
	goruntime.GC()
	for {
		metrics.Read(tidier.samples[:])
		heap, goal := tidier.samples[0].Value.Uint64(), tidier.samples[1].Value.Uint64()
		if heap > goal/10*7 && heap < goal/10*9 {
			break
		}
		_ = make([]byte, goal/100)
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	tidier.up()
	goruntime.ReadMemStats(&after)
	if after.NumForcedGC != before.NumForcedGC+1 {
		t.Errorf("%d of %d collections were asked for, %d of %d before", after.NumForcedGC, after.NumGC, before.NumForcedGC, before.NumGC)
	}
	if tidier.up(); tidier.samples[0].Value.Uint64() > before.HeapAlloc/2 {
		t.Errorf("%d bytes are left of %d", tidier.samples[0].Value.Uint64(), before.HeapAlloc)
	}
}
