package runtime

import (
	"context"
	"sync"
	"time"
)

// clock is a context that ends at the run's deadline, or with its caller's. It can be held
// while a person is asked; the deadline moves by that time.
type clock struct {
	context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	end    time.Time // without the time that the clock was held
	held   waitClock
}

func newClock(ctx context.Context, end time.Time) *clock {
	c := &clock{end: end}
	c.Context, c.cancel = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(time.Until(end), func() {
		if !time.Now().Before(c.deadline()) { // else release sets the timer again
			c.cancel(errDeadline)
		}
	})
	return c
}

// free releases the clock's timer.
func (c *clock) free() {
	c.timer.Stop()
	c.cancel(nil)
}

// deadline is when the time is up, unless the clock is held again.
func (c *clock) deadline() time.Time { return c.end.Add(c.held.read()) }

// Deadline implements [context.Context]. Code that read it before the clock was held may end
// too early.
func (c *clock) Deadline() (time.Time, bool) {
	end := c.deadline()
	if callers, ok := c.Context.Deadline(); ok && callers.Before(end) {
		return callers, true
	}
	return end, true
}

// hold stops the clock until release, which can be called more than once. It does not revive
// a clock whose time is up.
func (c *clock) hold() (release func()) {
	c.held.begin()
	return sync.OnceFunc(func() {
		c.held.end()
		c.timer.Reset(time.Until(c.deadline()))
	})
}
