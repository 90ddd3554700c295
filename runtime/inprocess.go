package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// inProcessCells run realms in this process.
type inProcessCells struct {
	spare  atomic.Pointer[inProcess] // for the next run
	making sync.WaitGroup
}

func (*inProcessCells) most() int { return 0 }
func (c *inProcessCells) close()  { c.making.Wait() }

// check cannot be stopped.
func (*inProcessCells) check(_ context.Context, c wire.Check, imports *given, _ time.Duration) (realm.Checked, []realm.Flaw, error) {
	checked, flaws := realm.Check(c, func(path string) (wire.Given, error) { return imports.give(path), nil })
	return checked, flaws, nil
}

// start takes the spare cell, if there is one.
func (c *inProcessCells) start(_ context.Context, p *Program, start wire.Start, inputs json.RawMessage) (cell, error) {
	if p.checked.Compiled() {
		start.Source, start.Map = "", ""
	}
	f, err := wire.New(wire.KindStart, start, inputs)
	if err != nil {
		return nil, err
	}
	one := c.spare.Swap(nil)
	if one == nil {
		one = c.make()
	}
	one.programs.Keep(p.key, p.checked)
	go one.realm.Run(f)
	return one, nil
}

func (c *inProcessCells) make() *inProcess {
	one := &inProcess{out: make(chan wire.Frame, 8), gone: make(chan struct{}), bell: make(chan struct{}, 1), over: c.prepare}
	one.realm = realm.New(realm.Config{Emit: one.emit, Programs: &one.programs})
	return one
}

// prepare makes the spare cell in the background: making a realm takes longer than most runs.
func (c *inProcessCells) prepare() {
	if c.spare.Load() != nil {
		return
	}
	c.making.Go(func() {
		one := c.make()
		_ = one.realm.Prepare() // the run reports the error
		c.spare.CompareAndSwap(nil, one)
	})
}

// inProcess is a realm on a goroutine of this process. It can be stopped or abandoned, but
// not killed.
type inProcess struct {
	realm    *realm.Realm
	programs realm.Programs
	out      chan wire.Frame
	gone     chan struct{}
	bell     chan struct{}
	heap     *memoryWatch
	over     func() // called when the cell is given up
}

var errGone = errors.New("the run is over")

func (c *inProcess) emit(f wire.Frame) error {
	select {
	case c.out <- f:
		return nil
	case <-c.gone:
		return errGone
	}
}

func (c *inProcess) send(f wire.Frame)            { c.realm.Deliver(f) }
func (c *inProcess) Room(<-chan struct{})         {}
func (c *inProcess) Watch(limit int64)            { c.heap = watchMemory(limit, c.Interrupt) }
func (c *inProcess) Over() bool                   { return c.heap.rang() }
func (c *inProcess) memory(bool) (int64, bool)    { return c.heap.stop(), c.heap.rang() }
func (c *inProcess) kill() bool                   { return false }
func (c *inProcess) WideBytes() int               { return 0 }
func (c *inProcess) Admit()                       {}
func (c *inProcess) cpu() (time.Duration, bool)   { return 0, false }
func (c *inProcess) death(time.Time) worker.Death { return worker.Death{} }
func (c *inProcess) kind() (string, []string)     { return cellInProcess, nil }

func (c *inProcess) end(bool) {
	close(c.gone)
	c.over()
}

func (c *inProcess) Next(until time.Time) (wire.Frame, worker.Arrival) {
	late := time.NewTimer(time.Until(until))
	defer late.Stop()
	select {
	case f := <-c.out:
		return f, worker.Arrived
	case <-c.bell:
		return wire.Frame{}, worker.Interrupted
	case <-late.C:
		return wire.Frame{}, worker.Late
	}
}

func (c *inProcess) Interrupt() {
	select {
	case c.bell <- struct{}{}:
	default: // it has not woken up yet
	}
}
