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

	mu      sync.Mutex
	timer   *time.Timer
	end     time.Time // as of when it was held, while it is
	holders int
	since   time.Time
	total   time.Duration
}

func newClock(ctx context.Context, end time.Time) *clock {
	c := &clock{end: end}
	c.Context, c.cancel = context.WithCancelCause(ctx)
	c.timer = time.AfterFunc(time.Until(end), c.ring)
	return c
}

// ring ends the context, unless the deadline has moved.
func (c *clock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if left := time.Until(c.end); c.holders == 0 && left <= 0 {
		c.cancel(errDeadline)
	}
}

// free gives up what the clock takes.
func (c *clock) free() {
	c.timer.Stop()
	c.cancel(nil)
}

// deadline is when the time is up, as far as that is known now.
func (c *clock) deadline() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders > 0 {
		return c.end.Add(time.Since(c.since))
	}
	return c.end
}

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
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders++; c.holders == 1 {
		c.since = time.Now()
		c.timer.Stop()
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holders--; c.holders > 0 {
			return
		}
		held := time.Since(c.since)
		c.total += held
		c.end = c.end.Add(held)
		c.timer.Reset(time.Until(c.end))
	})
}

func (c *clock) isHeld() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holders > 0
}

// held is for how long it was, so far.
func (c *clock) held() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders > 0 {
		return c.total + time.Since(c.since)
	}
	return c.total
}
