package sandbox

import (
	"sync"
	"syscall"
	"time"
)

// command is a [tree] in a holder.
type command struct {
	remote   *remote
	id       int64
	starting chan *started
	reached  chan int
	ended    chan uint32
	exit     chan struct{}
	done     chan struct{} // the holder has forgotten it

	asking sync.Mutex // one signal at a time

	mu   sync.Mutex
	over bool  // the holder no longer knows it
	left bool  // processes were left when the first one exited
	why  error // why the holder ended the command, with all others
}

func newCommand(r *remote) *command {
	return &command{remote: r, starting: make(chan *started, 1), reached: make(chan int, 1), ended: make(chan uint32, 1), exit: make(chan struct{}), done: make(chan struct{})}
}

// told handles one answer of the holder.
func (c *command) told(got answer) {
	switch {
	case got.Started != nil:
		c.starting <- got.Started
	case got.Reached != nil:
		select {
		case c.reached <- *got.Reached:
		default: // one at a time is asked for
		}
	}
	if got.Ended != nil {
		c.ended <- *got.Ended
		close(c.done)
	}
	if got.Exited {
		c.mu.Lock()
		c.over, c.left = got.Ended != nil, got.Ended == nil
		c.mu.Unlock()
		close(c.exit)
	}
}

// lost notes that the holder is gone, and all processes with it.
func (c *command) lost(why error) {
	c.mu.Lock()
	c.over, c.why = true, why
	c.mu.Unlock()
	select {
	case <-c.exit:
	default:
		close(c.exit)
	}
	c.ended <- uint32(syscall.SIGKILL)
}

func (c *command) exited() <-chan struct{} { return c.exit }

// failure is why the holder ended the command; nil if it did not.
func (c *command) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

func (c *command) childless() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.left
}

func (c *command) signal(signal syscall.Signal) int {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	if over {
		return 0
	}
	number := int(signal)
	if c.remote.channel.send(order{ID: c.id, Signal: &number}) != nil {
		return 0
	}
	select {
	case n := <-c.reached:
		return n
	case <-c.done:
		return 0
	case <-c.remote.gone:
		return 0
	}
}

func (c *command) reap() (code int, signal string) {
	c.mu.Lock()
	over := c.over
	c.over = true
	c.mu.Unlock()
	if !over && c.remote.channel.send(order{ID: c.id, Reap: true}) != nil {
		return -1, ""
	}
	late := time.NewTimer(killTime)
	defer late.Stop()
	select {
	case status := <-c.ended:
		return exitOf(syscall.WaitStatus(status))
	case <-late.C: // not even SIGKILL ends a process that waits for a device
		return -1, ""
	}
}
