package runtime

import (
	"errors"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// cell is where a realm lives while one run lasts. Only frames go in and out,
// so that nothing above this line knows how far away the realm is.
type cell interface {
	// send gives the realm a frame. It never blocks.
	send(wire.Frame)
	// next waits for what the realm emits, checked, the last one a return or a
	// throw: until a time, or an interrupt, or the cell has died. It stops before a large
	// value, where that is still elsewhere. It is called by one goroutine.
	next(until time.Time) (wire.Frame, worker.Arrival)
	// wide is how many bytes the value has before which next stopped, and admit lets
	// it go on.
	wide() int
	admit()
	// interrupt ends the wait of next, or else its next one.
	interrupt()
	// watch begins to look at the cell's memory. A cell that holds more than the
	// limit, in bytes, is killed if it can be, and interrupts.
	watch(limit int64)
	// overMemory reports whether it did.
	overMemory() bool
	// memory ends the watch and returns the most that was seen, and whether that
	// was over the limit. dead says that the cell was killed, or has died.
	memory(dead bool) (peak int64, over bool)
	// kill ends a realm that was asked to stop and did not. It reports whether
	// it could; a realm that cannot be killed is abandoned.
	kill() bool
	// end gives the cell up: what it emits from now on is dropped. clean says
	// that the realm ended as it should.
	end(clean bool)
	// cpu is how long the cell has computed for this run, and whether that is
	// known better than from outside.
	cpu() (time.Duration, bool)
	// death says how a cell died whose frames were closed. It waits for it until
	// a time, at most.
	death(until time.Time) worker.Death
	// kind is what a report calls the cell, and what it gave up.
	kind() (name string, confinement []string)
}

// inProcess is a realm on a goroutine of this process. It can be asked to
// stop, and abandoned, not killed.
type inProcess struct {
	realm *realm.Realm
	out   chan wire.Frame
	gone  chan struct{}
	bell  chan struct{}
	alarm *time.Timer // rings at until
	until time.Time
	heap  *memoryWatch
}

var errGone = errors.New("the host has gone")

func newInProcess(programs *realm.Programs) *inProcess {
	c := &inProcess{out: make(chan wire.Frame, 8), gone: make(chan struct{}), bell: make(chan struct{}, 1)}
	c.realm = realm.New(realm.Config{Emit: c.emit, Programs: programs})
	return c
}

// startInProcess runs a program in a cell that was made ahead, if there is one.
func (r *Runner) startInProcess(start wire.Frame) cell {
	c := r.spare.Swap(nil)
	if c == nil {
		c = newInProcess(r.programs)
	}
	go c.realm.Run(start)
	return c
}

// prepare makes a cell for the next run, which it does not wait for. A realm takes
// longer to make than most runs last.
func (r *Runner) prepare() {
	if r.workers != nil || r.spare.Load() != nil || !r.begin() {
		return
	}
	go func() {
		defer r.active.Done()
		c := newInProcess(r.programs)
		_ = c.realm.Prepare() // what fails is told by the run
		r.spare.CompareAndSwap(nil, c)
	}()
}

func (c *inProcess) emit(f wire.Frame) error {
	select {
	case c.out <- f:
		return nil
	case <-c.gone:
		return errGone
	}
}

func (c *inProcess) send(f wire.Frame)            { c.realm.Deliver(f) }
func (c *inProcess) watch(limit int64)            { c.heap = watchMemory(limit, c.interrupt) }
func (c *inProcess) overMemory() bool             { return c.heap.rang() }
func (c *inProcess) memory(bool) (int64, bool)    { return c.heap.stop(), c.heap.rang() }
func (c *inProcess) kill() bool                   { return false }
func (c *inProcess) wide() int                    { return 0 }
func (c *inProcess) admit()                       {}
func (c *inProcess) end(bool)                     { close(c.gone) }
func (c *inProcess) cpu() (time.Duration, bool)   { return 0, false }
func (c *inProcess) death(time.Time) worker.Death { return worker.Death{} }
func (c *inProcess) kind() (string, []string)     { return cellInProcess, nil }

func (c *inProcess) next(until time.Time) (wire.Frame, worker.Arrival) {
	if c.alarm == nil || !c.until.Equal(until) {
		if c.alarm != nil {
			c.alarm.Stop()
		}
		c.alarm, c.until = time.NewTimer(time.Until(until)), until
	}
	select {
	case f := <-c.out:
		return f, worker.Arrived
	case <-c.bell:
		return wire.Frame{}, worker.Interrupted
	case <-c.alarm.C:
		c.alarm = nil
		return wire.Frame{}, worker.Late
	}
}

func (c *inProcess) interrupt() {
	select {
	case c.bell <- struct{}{}:
	default: // it has been told already
	}
}

// The names of cells.
const (
	cellInProcess = "in-process"
	cellWorker    = "worker"
)
