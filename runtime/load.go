package runtime

import (
	"sync/atomic"
	"time"
)

// load counts runs.
type load struct{ running, waiting atomic.Int64 }

// Load is how many runs have a worker, or run in this process, and how many wait for one.
func (r *Runner) Load() (running, waiting int64) {
	return r.load.running.Load(), r.load.waiting.Load()
}

// takeCell waits for a cell, and counts the run.
func (e *execution) takeCell() error {
	began, counts := time.Now(), &e.runner.load
	counts.waiting.Add(1)
	err := e.startCell()
	counts.waiting.Add(-1)
	if e.report.Usage.WorkerWait = time.Since(began); err == nil {
		counts.running.Add(1)
	}
	return err
}
