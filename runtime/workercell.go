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
	memory residentWatch

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
	start.Alone = w.Alone
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

func (c *workerCell) next(until time.Time, soon bool) (wire.Frame, worker.Arrival) {
	for {
		if !time.Now().Before(c.memory.next) {
			if c.look(); c.memory.alarm {
				return wire.Frame{}, worker.Interrupted
			}
		}
		at := c.memory.next
		if until.Before(at) {
			at = until
		}
		if f, what := c.worker.Next(at, soon); what != worker.Late || at.Equal(until) {
			return f, what
		}
		soon = false // it was not
	}
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

// dying is how long a worker that has closed its socket may take to be gone.
const dying = 100 * time.Millisecond

func (c *workerCell) death() string {
	timer := time.NewTimer(dying)
	defer timer.Stop()
	select {
	case <-c.worker.Died():
		return c.worker.Death()
	case <-timer.C:
		c.worker.Kill()
		return "it closed its socket and did not end"
	}
}

func (c *workerCell) kind() (string, []string) { return cellWorker, c.worker.Hello.Confinement }

// patience is how long a run may compute until it steps back behind others:
// short runs, and the host, do not wait for long ones.
const patience = 10 * time.Millisecond

// residentWatch looks at the memory of a worker from time to time.
type residentWatch struct {
	limit  int64
	next   time.Time
	every  time.Duration
	cpu    time.Duration // that the worker had at the last look
	peak   int64
	alarm  bool
	behind bool
}

// lookSeldom is how often a worker is looked at that does not compute: many
// wait for their tools.
const lookSeldom = 4 * lookEvery

func (c *workerCell) watch(limit int64) memoryAlarm {
	c.memory = residentWatch{limit: limit, next: time.Now().Add(firstLook)}
	return c
}

func (c *workerCell) rang() bool { return c.memory.alarm }

func (c *workerCell) stop() int64 {
	m := &c.memory
	m.peak = max(m.peak, min(c.worker.Resident(), m.limit))
	return m.peak
}

// look is done while a run lasts, on the goroutine that converses with it.
func (c *workerCell) look() {
	m := &c.memory
	cpu := c.worker.CPU()
	if !m.behind && cpu-c.before > patience {
		c.worker.StepBack()
		m.behind = true
	}
	m.every = min(2*m.every, lookSeldom)
	if cpu != m.cpu {
		m.every = lookEvery
	}
	m.cpu = cpu
	now := c.worker.Resident()
	m.peak = max(m.peak, now)
	m.alarm = now > m.limit
	m.next = time.Now().Add(m.every)
}
