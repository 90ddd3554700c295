package runtime

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestHeldClockStandsStill: time passes only while nobody holds it, and a caller's own
// deadline is not moved.
func TestHeldClockStandsStill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClock(t.Context(), time.Now().Add(10*time.Second))
		defer c.free()
		run := &execution{clock: c}
		time.Sleep(4 * time.Second)
		if until := run.until(); !until.Equal(c.deadline()) {
			t.Errorf("it looks at the script's computing in %v", time.Until(until))
		}
		first, second := c.hold(), c.hold()
		if look := time.Until(run.until()); look != heldLook {
			t.Errorf("it looks at the script's computing in %v", look)
		}
		time.Sleep(time.Hour)
		if left := time.Until(c.deadline()); left != 6*time.Second || c.Err() != nil {
			t.Errorf("%v are left, %v", left, c.Err())
		}
		first()
		first()
		time.Sleep(time.Hour)
		second()
		if left := time.Until(c.deadline()); left != 6*time.Second || c.held.read() != 2*time.Hour {
			t.Errorf("%v are left, held for %v", left, c.held.read())
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if c.Err() != nil {
			t.Error("it ended early")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !errors.Is(context.Cause(c), errDeadline) {
			t.Error(context.Cause(c))
		}
		c.hold()() // what is up stays so
		if c.Err() == nil {
			t.Error("it began again")
		}

		callers, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		soonest, _ := callers.Deadline()
		c = newClock(callers, time.Now().Add(time.Hour))
		defer c.free()
		if at, _ := c.Deadline(); !at.Equal(soonest) {
			t.Error(at)
		}
		c = newClock(callers, time.Now().Add(time.Second))
		defer c.free()
		defer c.hold()()
		if at, _ := c.Deadline(); !at.Equal(time.Now().Add(time.Second)) {
			t.Error(at)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !errors.Is(c.Err(), context.DeadlineExceeded) && c.Err() == nil {
			t.Error(c.Err())
		}
	})
}
