package runtime

import (
	"errors"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// cell is where a realm lives while one run lasts. Only frames go in and out,
// so that nothing above this line knows how far away the realm is.
type cell interface {
	// send gives the realm a frame. It never blocks.
	send(wire.Frame)
	// frames yields what the realm emits, checked, the last one a return or a
	// throw.
	frames() <-chan wire.Frame
	// abandon gives the realm up: what it emits from now on is dropped.
	abandon()
	// kind is what a report calls the cell.
	kind() string
}

// inProcess is a realm on a goroutine of this process. It can be asked to
// stop, and abandoned, not killed.
type inProcess struct {
	realm *realm.Realm
	out   chan wire.Frame
	gone  chan struct{}
}

var errGone = errors.New("the host has gone")

func startInProcess(programs *realm.Programs, start wire.Frame) cell {
	c := &inProcess{out: make(chan wire.Frame, 8), gone: make(chan struct{})}
	c.realm = realm.New(realm.Config{Emit: c.emit, Programs: programs})
	go c.realm.Run(start)
	return c
}

func (c *inProcess) emit(f wire.Frame) error {
	select {
	case c.out <- f:
		return nil
	case <-c.gone:
		return errGone
	}
}

func (c *inProcess) send(f wire.Frame)         { c.realm.Deliver(f) }
func (c *inProcess) frames() <-chan wire.Frame { return c.out }
func (c *inProcess) abandon()                  { close(c.gone) }
func (c *inProcess) kind() string              { return "in-process" }
