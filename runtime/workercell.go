package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// workerCell is a realm in a process of its own.
type workerCell struct {
	pool   *worker.Pool
	worker *worker.Process
	before time.Duration // what the process had computed before this run

	mu   sync.Mutex
	over bool // the worker is somebody else's
}

// startWorker sends a run to a worker, which it waits for.
func startWorker(ctx context.Context, pool *worker.Pool, key, source string, start wire.Start, inputs []byte) (cell, error) {
	w, err := pool.Take(ctx, key)
	if err != nil {
		return nil, err
	}
	c := &workerCell{pool: pool, worker: w, before: w.CPU()}
	if !w.Knows(key) {
		start.Source = source
	}
	err = w.Limit(start.MaxMemoryBytes)
	if err == nil {
		err = w.Start(start, inputs)
	}
	if err != nil {
		pool.Return(w, false)
		return nil, err
	}
	return c, nil
}

// send drops what comes for a run that is over: the next one would take it for
// an answer to a call of its own.
func (c *workerCell) send(f wire.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.worker.Send(f)
	}
}

func (c *workerCell) interrupt() { c.worker.Interrupt() }

func (c *workerCell) next(until time.Time) (wire.Frame, worker.Arrival) {
	return c.worker.Next(until)
}

func (c *workerCell) wide() int { return c.worker.WideBytes() }
func (c *workerCell) admit()    { c.worker.Admit() }

func (c *workerCell) watch(limit int64) { c.worker.Watch(limit) }
func (c *workerCell) overMemory() bool  { return c.worker.Over() }

// memory waits a little for a worker that is dying: only then is it known how
// much it had.
func (c *workerCell) memory(dead bool) (peak int64, over bool) {
	if !dead {
		if peak, over = c.worker.Unwatch(); !over {
			return peak, false
		}
	}
	c.dead(time.Now().Add(dying))
	return c.worker.Peak(), c.worker.Over()
}

func (c *workerCell) kill() bool {
	c.worker.Kill()
	return true
}

func (c *workerCell) end(clean bool) {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.pool.Return(c.worker, clean)
}

func (c *workerCell) cpu() (time.Duration, bool) {
	now := c.worker.CPU()
	return max(now-c.before, 0), now > 0
}

// dying is how long is waited for a worker that was killed to be gone.
const dying = 100 * time.Millisecond

// dead waits for a worker that is dying, and reports whether it is gone.
func (c *workerCell) dead(until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-c.worker.Died():
		return true
	case <-timer.C:
		return false
	}
}

func (c *workerCell) death(until time.Time) worker.Death {
	if c.dead(until) {
		return c.worker.Death()
	}
	c.worker.Kill()
	if c.worker.Over() {
		return worker.Death{Cause: worker.OutOfMemory}
	}
	return worker.Death{Text: "it closed its socket and did not end"}
}

func (c *workerCell) kind() (string, []string) { return cellWorker, c.worker.Hello.Confinement }
