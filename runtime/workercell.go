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
	var f wire.Frame
	if err == nil {
		f, err = wire.New(wire.KindStart, start, inputs)
	}
	if err != nil {
		pool.Return(w, false)
		return nil, err
	}
	w.Send(f)
	return c, nil
}

func (c *workerCell) send(f wire.Frame)         { c.worker.Send(f) }
func (c *workerCell) frames() <-chan wire.Frame { return c.worker.Frames() }

func (c *workerCell) kill() bool {
	c.worker.Kill()
	return true
}

func (c *workerCell) end(clean bool) { c.pool.Return(c.worker, clean) }

func (c *workerCell) cpu() (time.Duration, bool) {
	now := c.worker.CPU()
	return max(now-c.before, 0), now > 0
}

// dying is how long a worker that has closed its socket may take to be gone.
const dying = 100 * time.Millisecond

func (c *workerCell) death() string {
	timer := time.NewTimer(dying)
	defer timer.Stop()
	select {
	case <-c.worker.Died():
	case <-timer.C:
	}
	c.worker.Kill()
	return c.worker.Death()
}

func (c *workerCell) kind() (string, []string) { return cellWorker, c.worker.Hello.Confinement }

func (c *workerCell) watch(limit int64) memoryAlarm {
	w := &residentWatch{worker: c.worker, limit: limit, alarm: make(chan struct{}, 1), before: c.before}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(firstLook, w.look)
	return w
}

// patience is how long a run may compute until it steps back behind others:
// short runs, and the host, do not wait for long ones.
const patience = 20 * time.Millisecond

// residentWatch rings when a worker has more memory in use than a limit.
type residentWatch struct {
	worker *worker.Process
	limit  int64
	alarm  chan struct{}

	mu    sync.Mutex
	timer *time.Timer
	over  bool
	peak  int64

	before time.Duration // what the worker had computed before this run
	behind bool
}

func (w *residentWatch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	if !w.behind && w.worker.CPU()-w.before > patience {
		w.worker.StepBack()
		w.behind = true
	}
	now := w.worker.Resident()
	w.peak = max(w.peak, now)
	if now > w.limit {
		w.alarm <- struct{}{}
		return
	}
	w.timer.Reset(lookEvery)
}

func (w *residentWatch) rings() <-chan struct{} { return w.alarm }

func (w *residentWatch) stop() int64 {
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	return max(w.peak, min(w.worker.Resident(), w.limit))
}
