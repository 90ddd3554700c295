package runtime

import (
	"context"
	"sync"
	"time"
)

// clock is the time of a run: a context that ends at the deadline, or when its
// caller's does. While somebody is asked it is held, and the deadline moves.
type clock struct {
	context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	end    time.Time // but for the time that it was held
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

// free gives up what the clock takes.
func (c *clock) free() {
	c.timer.Stop()
	c.cancel(nil)
}

// deadline is when the time is up, as far as that is known now.
func (c *clock) deadline() time.Time { return c.end.Add(c.held.read()) }

// Deadline implements [context.Context]. What looked at it before the clock was held
// may end earlier than it need.
func (c *clock) Deadline() (time.Time, bool) {
	end := c.deadline()
	if callers, ok := c.Context.Deadline(); ok && callers.Before(end) {
		return callers, true
	}
	return end, true
}

// hold stops the time until release, which may be called more than once. Time that is
// up stays so.
func (c *clock) hold() (release func()) {
	c.held.begin()
	return sync.OnceFunc(func() {
		c.held.end()
		c.timer.Reset(time.Until(c.deadline()))
	})
}
