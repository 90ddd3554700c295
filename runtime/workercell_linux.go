//go:build amd64 || arm64

package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// workerCells run realms in processes that can be killed.
type workerCells struct{ *worker.Pool }

func newWorkers(o Options) (cells, error) {
	pool, err := worker.NewPool(worker.Options{Most: o.MaxWorkers, Spare: o.SpareWorkers, Queue: o.MaxQueuedRuns})
	if err == nil {
		pool.Fill() // the first worker starts now
	}
	return workerCells{pool}, err
}

func (c workerCells) most() int { return c.Most() }
func (c workerCells) close()    { c.Close() }

func (c workerCells) check(ctx context.Context, source wire.Check, imports *given, within time.Duration) (checked realm.Checked, flaws []realm.Flaw, err error) {
	source.MaxMemoryBytes = maxCheckMemory
	if source.Imports {
		source.MaxMemoryBytes = maxImportingMemory
	}
	for again := false; ; again = true {
		w, err := c.TakeChecker(ctx, source.Digest)
		if err != nil {
			return checked, nil, notChecked(err)
		}
		in := &workerCell{Process: w, back: c.ReturnChecker, before: w.CPU()}
		if err := w.Limit(source.MaxMemoryBytes); err != nil {
			in.end(false)
			return checked, nil, notChecked(err)
		}
		checked, flaws, err = checkIn(ctx, in, source, imports, within)
		var failed *checkError
		if again || !errors.As(err, &failed) || !failed.starved || ctx.Err() != nil {
			return checked, flaws, err
		} // again, in another worker
	}
}

func (c workerCells) start(ctx context.Context, p *Program, start wire.Start, inputs json.RawMessage) (cell, error) {
	w, err := c.Take(ctx, p.key)
	if err != nil {
		return nil, err
	}
	if w.Knows(p.key, len(start.Source)+len(start.Map)) {
		start.Source, start.Map = "", ""
	}
	f, err := wire.New(wire.KindStart, start, inputs)
	if err == nil {
		err = w.Limit(start.MaxMemoryBytes)
	}
	if err != nil {
		c.Return(w, false)
		return nil, err
	}
	in := &workerCell{Process: w, back: c.Return, before: w.CPU()}
	w.Send(f)
	return in, nil
}

// workerCell is a realm in a process of its own.
type workerCell struct {
	*worker.Process
	back   func(w *worker.Process, clean bool)
	before time.Duration // the CPU time of the process before this run

	mu   sync.Mutex
	over bool // the worker is returned, and may have another run
}

// send drops frames for a run that is over: the next run in the worker would take them for
// answers to its own calls.
func (c *workerCell) send(f wire.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.Send(f)
	}
}

// memory waits a little for a dying worker: the system knows its peak once it is gone.
func (c *workerCell) memory(dead bool) (peak int64, over bool) {
	if !dead {
		if peak, over = c.Unwatch(); !over {
			return peak, false
		}
	}
	c.dead(time.Now().Add(dying))
	return c.Peak(), c.Over()
}

func (c *workerCell) kill() bool {
	c.Kill()
	return true
}

func (c *workerCell) end(clean bool) {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.back(c.Process, clean)
}

func (c *workerCell) cpu() (time.Duration, bool) {
	now := c.CPU()
	return max(now-c.before, 0), now > 0
}

// dead waits for a dying worker until a time, and reports whether it is gone.
func (c *workerCell) dead(until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-c.Died():
		return true
	case <-timer.C:
		return false
	}
}

func (c *workerCell) death(until time.Time) worker.Death {
	if c.dead(until) {
		return c.Death()
	}
	c.Kill()
	if c.Over() {
		return worker.Death{Cause: worker.OutOfMemory}
	}
	return worker.Death{Text: "it closed its socket and did not end"}
}

func (c *workerCell) kind() (string, []string) { return cellWorker, c.Hello.Confinement }
