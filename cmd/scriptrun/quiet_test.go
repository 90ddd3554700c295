package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// withCommands is a run that may start them, and takes some time.
func withCommands(ctx context.Context, q *quiet, takes time.Duration) {
	q.AroundRun(ctx, runtime.Request{Allow: []hostapi.Rule{{Tool: "grep"}, {Tool: "bash"}}}, func(context.Context) *runtime.Report {
		time.Sleep(takes)
		return &runtime.Report{}
	})
}

func busy(q *quiet) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.active
}

func never(t *testing.T) func(int) {
	return func(n int) { t.Errorf("it says that it waits for %d runs", n) }
}

// TestNothingIsLoadedWhileACommandIsUnderWay: what it puts where tools are looked for is there
// until it ends.
func TestNothingIsLoadedWhileACommandIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		began := time.Now()
		for i := range 3 {
			go withCommands(t.Context(), &q, time.Duration(i)*time.Second)
		}
		synctest.Wait()
		q.whenIdle(t.Context(), never(t), func() {
			if since := time.Since(began); since != 2*time.Second {
				t.Errorf("it was done after %v", since)
			}
			go withCommands(t.Context(), &q, 0)
			time.Sleep(time.Minute) // longer than a run waits for one who waits
			if busy(&q) > 0 {
				t.Error("a run began meanwhile")
			}
		})
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		q.whenIdle(ended, never(t), func() { t.Error("it was done after the end") })
		withCommands(t.Context(), &q, 0) // nobody holds it up any more
	})
}

// TestRunsThatOverlapLeaveAMoment: a busy server loads what has changed all the same, and its runs
// go on.
func TestRunsThatOverlapLeaveAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		ctx, stop := context.WithCancel(t.Context())
		var runs atomic.Int64
		for i := range 2 {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				for ; ctx.Err() == nil; runs.Add(1) {
					withCommands(ctx, &q, 1500*time.Millisecond)
				}
			}()
		}
		time.Sleep(10 * time.Second)
		began := time.Now()
		q.whenIdle(t.Context(), never(t), func() {})
		if since := time.Since(began); since > 2*time.Second {
			t.Errorf("it was done after %v", since)
		}
		had := runs.Load()
		time.Sleep(10 * time.Second)
		if since := runs.Load() - had; since < 10 {
			t.Errorf("%d runs since", since)
		}
		stop()
		time.Sleep(time.Minute) // to their ends
	})
}

// TestALongCommandHoldsUpNobodyElse: who waits for it says so, and other runs begin.
func TestALongCommandHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		go withCommands(t.Context(), &q, time.Hour)
		synctest.Wait()
		var said atomic.Int64
		go q.whenIdle(t.Context(), func(n int) { said.Add(int64(n)) }, func() {})
		synctest.Wait()
		began := time.Now()
		withCommands(t.Context(), &q, 0)
		q.AroundRun(t.Context(), runtime.Request{Allow: []hostapi.Rule{{Tool: "grep"}}}, func(context.Context) *runtime.Report { return nil })
		if since := time.Since(began); since != quietLends {
			t.Errorf("they took %v", since)
		}
		time.Sleep(2 * time.Hour) // to its end
		if n := said.Load(); n != 1 {
			t.Errorf("it waits for %d", n)
		}
	})
}

// TestARunThatEndsWaitsForNobody: its context ends while something is loaded.
func TestARunThatEndsWaitsForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		ctx, cancel := context.WithCancel(t.Context())
		q.whenIdle(t.Context(), never(t), func() {
			go cancel()
			withCommands(ctx, &q, 0)
		})
		if n := busy(&q); n != 0 {
			t.Errorf("%d runs are counted", n)
		}
	})
}
