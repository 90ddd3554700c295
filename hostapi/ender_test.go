package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// costly is a task that makes its result only for those who wait.
type costly struct {
	task
	over  chan struct{} // closed at the end of the work
	ended chan struct{} // closed once the ledger knows
	made  atomic.Int64

	output string // of a result; empty for another one
	life   <-chan struct{}
}

func (c *costly) End(ctx context.Context) (hostapi.Result, error) {
	select {
	case <-c.over:
		return hostapi.Result{Outcome: hostapi.OutcomeFailed, ExitCode: 3, Reason: "as told", Output: "not kept"}, nil
	case <-c.closed:
		return hostapi.Result{}, errors.New("it was closed first")
	case <-c.life:
		return hostapi.Result{Outcome: hostapi.OutcomeCancelled}, nil
	case <-ctx.Done():
		return hostapi.Result{}, ctx.Err()
	}
}

// costlyTool starts the work.
type costlyTool struct {
	hostapi.Func
	work *costly
}

func (c *costlyTool) Start(ctx context.Context, _ hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	c.work.life = ctx.Done()
	return c.work, hostapi.Result{}, nil
}

func (c *costly) Wait(ctx context.Context) (hostapi.Result, error) {
	result, err := c.End(ctx)
	if err == nil {
		err = hostapi.Waited(ctx)
	}
	if err != nil {
		return hostapi.Result{}, err
	}
	c.made.Add(1)
	if result.Output, result.Data = "all of it", json.RawMessage(`{"all":true}`); c.output != "" {
		result.Output, result.Data = c.output, nil
	}
	return result, nil
}

// costlyGate is a gate whose tool "work" starts the task.
func costlyGate(t *testing.T, around ...hostapi.Around) (*hostapi.Gate, *costly) {
	t.Helper()
	return costlyGateWith(t, hostapi.Quota{}, around...)
}

func costlyGateWith(t *testing.T, quota hostapi.Quota, around ...hostapi.Around) (*hostapi.Gate, *costly) {
	t.Helper()
	work := &costly{task: *newTask(), over: make(chan struct{}), ended: make(chan struct{})}
	registry, err := hostapi.NewRegistry(&costlyTool{hostapi.Func{ToolName: "work", Do: atOnce}, work})
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "work"}}}, Around: around, Quota: quota,
		Observer: hostapi.Observer{CallEnded: func(hostapi.Record) { close(work.ended) }},
	})
	t.Cleanup(func() { gate.Close(time.Minute) })
	if _, err := begin(t, gate, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	return gate, work
}

// TestResultsAreMadeForThoseWhoWait: work in the background that ends unread costs nothing.
func TestResultsAreMadeForThoseWhoWait(t *testing.T) {
	t.Parallel()
	gate, work := costlyGate(t)
	waiting := make(chan hostapi.Result, 1)
	go func() { // from before the end
		result, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil)
		if err != nil {
			t.Error(err)
		}
		waiting <- result
	}()
	close(work.over)
	first := <-waiting
	if row := gate.Records()[0]; row.Ended.IsZero() || row.ExitCode != 3 || row.Err != "as told" {
		t.Errorf("the row is %+v", row)
	}
	if n := work.made.Load(); n != 1 {
		t.Errorf("%d results were made for one who waits", n)
	}
	second, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil)
	for i, result := range []hostapi.Result{first, second} {
		if err != nil || result.Output != "all of it" || result.Outcome != hostapi.OutcomeFailed || result.ExitCode != 3 || result.Reason != "as told" {
			t.Errorf("wait %d: %+v, %v", i+1, result, err)
		}
	}
	over := errors.New("the run is over")
	if _, err := gate.Operate(hostapi.WithWaited(t.Context(), func() error { return over }), 1, hostapi.OperationWait, nil); err != nil || work.made.Load() != 2 {
		t.Errorf("%d results were made; a wait that finds no room gives %v", work.made.Load(), err)
	}
}

// TestNoResultIsMadeThatARunMayNotGet: once one has been made, it is known how large they are.
func TestNoResultIsMadeThatARunMayNotGet(t *testing.T) {
	t.Parallel()
	const size = 1000
	gate, work := costlyGateWith(t, hostapi.Quota{MaxTotalBytes: int64(len("{}")) + 3*size - 1})
	work.output = strings.Repeat("x", size)
	close(work.over)
	<-work.ended
	for i := range 6 {
		result, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil)
		if given := result.Output == work.output; err != nil || given != (i < 2) || !given && !strings.Contains(result.Output, hostapi.LimitTotalBytes) {
			t.Errorf("wait %d: %+v, %v", i+1, result, err)
		}
	}
	if n := work.made.Load(); n != 2 {
		t.Errorf("%d results were made; the run may have two", n)
	}
	ops := gate.Records()[0].Operations
	if last := ops[len(ops)-1]; last.Status != hostapi.StatusFailed || last.OutputBytes != size {
		t.Errorf("%+v", last)
	}
}

// TestNoResultIsMadeThatNobodyWaitsFor, from the end of the work to that of the run.
func TestNoResultIsMadeThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	gate, work := costlyGate(t)
	close(work.over)
	<-work.ended
	gate.Close(time.Minute)
	if row := gate.Records()[0]; work.made.Load() != 0 || row.ExitCode != 3 {
		t.Errorf("%d results were made; the row is %+v", work.made.Load(), row)
	}
}

// TestWaitsSeeWhatAnAroundMade of the end of the work.
func TestWaitsSeeWhatAnAroundMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		around hostapi.Around
		output string
	}{
		"another result": {func(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
			result, err := next(ctx)
			if call.Operation == "" {
				result.Output = "instead"
			}
			return result, err
		}, "instead"},
		"an error": {func(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
			result, err := next(ctx)
			if call.Operation == "" {
				err = errors.New("refused late")
			}
			return result, err
		}, "refused late"},
		"of the wait": {func(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
			result, err := next(ctx)
			if call.Operation == hostapi.OperationWait {
				result.Output += ", seen"
			}
			return result, err
		}, "all of it, seen"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, work := costlyGate(t, c.around)
			close(work.over)
			if result, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil); err != nil || result.Output != c.output {
				t.Errorf("%+v, %v; want %q", result, err, c.output)
			}
		})
	}
}

// TestReleaseBesideWaits: those under way end with it, in whatever order it comes.
func TestReleaseBesideWaits(t *testing.T) {
	t.Parallel()
	for range 50 {
		gate, _ := costlyGate(t)
		done := make(chan error, 1)
		go func() {
			result, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil)
			var missing *hostapi.NotFoundError
			if err == nil && result.Outcome != hostapi.OutcomeCancelled || err != nil && !errors.As(err, &missing) {
				t.Errorf("%+v, %v", result, err)
			}
			done <- err
		}()
		if _, err := gate.Operate(t.Context(), 1, hostapi.OperationRelease, nil); err != nil {
			t.Error(err)
		}
		<-done
	}
}

// TestReleaseAfterWaits: those that were asked for before it get their results, however late
// they begin.
func TestReleaseAfterWaits(t *testing.T) {
	t.Parallel()
	gate, work := costlyGate(t)
	first, second := gate.AskOperation(1, hostapi.OperationWait, nil), gate.AskOperation(1, hostapi.OperationWait, nil)
	released := make(chan error, 1)
	go func() {
		_, err := gate.AskOperation(1, hostapi.OperationRelease, nil).Do(t.Context())
		released <- err
	}()
	<-work.ended // the release has begun
	for _, wait := range []*hostapi.AskedOperation{first, second} {
		if result, err := wait.Do(t.Context()); err != nil || result.Outcome != hostapi.OutcomeCancelled || result.Output != "all of it" {
			t.Errorf("%+v, %v", result, err)
		}
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
	<-work.closed
	var missing *hostapi.NotFoundError
	if _, err := gate.Operate(t.Context(), 1, hostapi.OperationWait, nil); !errors.As(err, &missing) {
		t.Errorf("after the release: %v", err)
	}
}

// TestReleaseAtTheEndOfTheRun does not wait for operations that never begin.
func TestReleaseAtTheEndOfTheRun(t *testing.T) {
	t.Parallel()
	gate, work := costlyGate(t)
	gate.AskOperation(1, hostapi.OperationWait, nil)
	release := gate.AskOperation(1, hostapi.OperationRelease, nil)
	ctx, end := context.WithCancel(t.Context())
	go func() {
		<-work.ended
		end()
	}()
	if _, err := release.Do(ctx); err != nil {
		t.Log(err) // the run is over, and whoever asked with it
	}
	<-work.closed
}

// TestReleasesAreRecorded, also where a run has done more than a ledger holds.
func TestReleasesAreRecorded(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{})
	for seq := 1; seq <= 2; seq++ {
		if _, err := begin(t, gate, seq, "{}"); err != nil {
			t.Fatal(err)
		}
		<-made
	}
	for range 1001 {
		if _, err := gate.Operate(t.Context(), 1, "echo", json.RawMessage(`"a"`)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := gate.Operate(t.Context(), 2, hostapi.OperationRelease, nil); err != nil {
		t.Fatal(err)
	}
	rows := gate.Records()
	if n := len(rows[0].Operations); n != 1000 || rows[0].OperationsLeftOut != 1 {
		t.Errorf("%d operations, and %d left out", n, rows[0].OperationsLeftOut)
	}
	if ops := rows[1].Operations; len(ops) != 1 || ops[0].Name != hostapi.OperationRelease || ops[0].Status != hostapi.StatusOK {
		t.Errorf("%+v", ops)
	}
}
