package runtime

import (
	"sync/atomic"
	"time"
)

// Load is how much a [Runner] has to do at a moment.
type Load struct {
	// Running are the runs that have a worker, or their place in this process.
	Running int
	// Waiting are those that wait for one.
	Waiting int
}

// load counts it.
type load struct{ running, waiting atomic.Int64 }

// Load is how much there is to do.
func (r *Runner) Load() Load {
	return Load{Running: int(r.load.running.Load()), Waiting: int(r.load.waiting.Load())}
}

// takeCell waits for a cell, which is counted.
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
