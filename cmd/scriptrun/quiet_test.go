package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// busyFor is a call of bash that takes some time.
func busyFor(ctx context.Context, q *quiet, takes time.Duration) {
	_, _ = q.Around(ctx, hostapi.Call{Tool: "bash"}, func(context.Context) (hostapi.Result, error) {
		time.Sleep(takes) // by the clock of the bubble, as everywhere here: nobody waits
		return hostapi.Result{}, nil
	})
}

func busy(q *quiet) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.active
}

func nothing(int) {}

// TestNothingIsLoadedWhileACommandIsUnderWay: what it puts where tools are looked for is there
// until it ends.
func TestNothingIsLoadedWhileACommandIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		began := time.Now()
		for i := range 3 {
			go busyFor(t.Context(), &q, time.Duration(i)*time.Second)
		}
		synctest.Wait()
		q.whenIdle(t.Context(), nothing, func() {
			if since := time.Since(began); since != 2*time.Second {
				t.Errorf("it was done after %v", since)
			}
			go busyFor(t.Context(), &q, 0)
			time.Sleep(time.Minute) // longer than a command lets others go before it
			if busy(&q) > 0 {
				t.Error("a command began meanwhile")
			}
		})
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		q.whenIdle(ended, nothing, func() { t.Error("it was done after the end") })
		busyFor(t.Context(), &q, 0) // nobody holds it up any more
	})
}

// TestCommandsThatOverlapLeaveAMoment: a busy server loads what has changed all the same, and its
// commands go on.
func TestCommandsThatOverlapLeaveAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		ctx, stop := context.WithCancel(t.Context())
		var commands atomic.Int64
		for i := range 2 {
			go func() {
				time.Sleep(time.Duration(i) * 200 * time.Millisecond)
				for ; ctx.Err() == nil; commands.Add(1) {
					busyFor(ctx, &q, 400*time.Millisecond)
				}
			}()
		}
		time.Sleep(10 * time.Second)
		began := time.Now()
		q.whenIdle(t.Context(), nothing, func() {})
		if since := time.Since(began); since > quietLends {
			t.Errorf("it was done after %v", since)
		}
		had := commands.Load()
		time.Sleep(10 * time.Second)
		if since := commands.Load() - had; since < 48 {
			t.Errorf("%d commands since", since)
		}
		stop()
		time.Sleep(time.Minute) // to their ends
	})
}

// TestALongCommandHoldsUpNobodyElse: who waits for it says so, and other commands wait once, and
// shortly.
func TestALongCommandHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		go busyFor(t.Context(), &q, time.Hour)
		synctest.Wait()
		var said, done atomic.Int64
		began := time.Now()
		took := func(want time.Duration) {
			t.Helper()
			if since := time.Since(began); since != want {
				t.Errorf("it took %v, want %v", since, want)
			}
			began = time.Now()
		}
		go q.whenIdle(t.Context(), func(n int) { said.Add(int64(n)) }, func() { done.Add(1) })
		synctest.Wait()
		for _, call := range []hostapi.Call{{Tool: "grep"}, {Tool: "bash", Refused: errors.New("refused")}} {
			_, _ = q.Around(t.Context(), call, func(context.Context) (hostapi.Result, error) { return hostapi.Result{}, nil })
		}
		took(0)
		busyFor(t.Context(), &q, 0)
		took(quietLends)
		for range 10 {
			busyFor(t.Context(), &q, 0)
		}
		took(0)
		time.Sleep(2 * time.Hour) // to its end
		if said.Load() < 3599 || done.Load() != 1 {
			t.Errorf("it waits for %d, and was done %d times", said.Load(), done.Load())
		}
		// Another one soon after, while a command is under way.
		go q.whenIdle(t.Context(), nothing, func() {})
		synctest.Wait()
		for range 2 {
			go busyFor(t.Context(), &q, time.Second)
			synctest.Wait()
			go q.whenIdle(t.Context(), nothing, func() {})
			synctest.Wait()
			began = time.Now()
			busyFor(t.Context(), &q, 0)
			if since := time.Since(began); since > quietLends {
				t.Errorf("it took %v", since)
			}
			time.Sleep(5 * time.Second)
		}
	})
}

// TestACommandThatIsCancelledWaitsForNobody: its context ends while something is loaded.
func TestACommandThatIsCancelledWaitsForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		ctx, cancel := context.WithCancel(t.Context())
		q.whenIdle(t.Context(), nothing, func() {
			go cancel()
			busyFor(ctx, &q, 0)
		})
		if n := busy(&q); n != 0 {
			t.Errorf("%d commands are counted", n)
		}
	})
}
