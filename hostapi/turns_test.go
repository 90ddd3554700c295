package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// turnIn takes a turn in a call of its own, or waits for it on another goroutine.
func turnIn(ctx context.Context, q *hostapi.TurnQueue) (came chan error, leave func()) {
	ctx, leave = q.Call(ctx)
	came = make(chan error, 1)
	go func() {
		_, err := hostapi.Turn(ctx, hostapi.LargeResult+1)
		came <- err
	}()
	return came, leave
}

// TestLargeResultsTakeTurns: two runs at once, one result of a run; small ones always; and
// nobody waits in a run that is over.
func TestLargeResultsTakeTurns(t *testing.T) {
	t.Parallel()
	var turns hostapi.Turns
	one, two, three := turns.Queue(nil), turns.Queue(nil), turns.Queue(nil)
	came, leaveOne := turnIn(t.Context(), one)
	if err := <-came; err != nil {
		t.Fatal(err)
	}
	second, leaveSecond := turnIn(t.Context(), one)
	came, leaveTwo := turnIn(t.Context(), two)
	if err := <-came; err != nil {
		t.Fatal(err)
	}
	small, leaveSmall := three.Call(t.Context())
	if _, err := hostapi.Turn(small, hostapi.LargeResult); err != nil {
		t.Error("a small result waits:", err)
	}
	leaveSmall()
	over, end := context.WithCancel(t.Context())
	third, leaveThird := turnIn(over, three)
	select {
	case err := <-third:
		t.Error("a third run had a turn:", err)
	case err := <-second:
		t.Error("a run had two turns:", err)
	default:
	}
	end()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	leaveThird()
	leaveOne()
	if err := <-second; err != nil {
		t.Error(err)
	}
	leaveSecond()
	leaveTwo()
	came, leave := turnIn(t.Context(), three)
	if err := <-came; err != nil {
		t.Error(err)
	}
	leave()
}

// TestOneResultDoesNotWaitBehindThoseOfAllRuns that have many.
func TestOneResultDoesNotWaitBehindThoseOfAllRuns(t *testing.T) {
	t.Parallel()
	var turns hostapi.Turns
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	defer busy.Wait()
	defer stop()
	had := make(chan struct{}, 1)
	for range 40 {
		queue := turns.Queue(nil)
		for range 4 {
			busy.Go(func() {
				for ctx.Err() == nil {
					came, leave := turnIn(ctx, queue)
					<-came
					select {
					case had <- struct{}{}:
					case <-ctx.Done():
					}
					leave()
				}
			})
		}
	}
	for range 200 {
		<-had
	}
	came, leave := turnIn(ctx, turns.Queue(nil))
	defer leave()
	for n := 0; ; n++ {
		select {
		case err := <-came:
			if err != nil {
				t.Error(err)
			}
			return
		case <-had:
			if n > 1000 { // it may be asked for late; else three or four are enough
				t.Fatal("the turn never came")
			}
		}
	}
}

// TestCallHasOneTurn, also where several goroutines ask, and the calls that its tool makes.
func TestCallHasOneTurn(t *testing.T) {
	t.Parallel()
	var turns hostapi.Turns
	queue := turns.Queue(nil)
	ctx, end := queue.Call(t.Context())
	leave, err := hostapi.Turn(ctx, hostapi.LargeResult+1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := hostapi.Turn(ctx, hostapi.LargeResult+1)
	if err != nil {
		t.Fatal(err)
	}
	again()
	again()
	other, endOther := turnIn(t.Context(), queue)
	select {
	case <-other:
		t.Error("the turn was left while one still used it")
	default:
	}
	leave()
	if err := <-other; err != nil {
		t.Error(err)
	}
	endOther()
	end()
}

// TestGateWaitsForATurn before it looks at a large result of any tool, and after a run makes
// nothing of it.
func TestGateWaitsForATurn(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", hostapi.LargeResult+1)
	outer := &hosttest.Fake{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		if _, err := hostapi.Turn(ctx, hostapi.LargeResult+1); err != nil {
			return hostapi.Result{}, err
		}
		return call.Invoke(ctx, "inner", json.RawMessage("{}")) // which shares the turn
	}}
	made := func() {}
	inner := &hosttest.Fake{ToolName: "inner", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		made()
		return hostapi.Succeed(large), nil
	}}
	gate := hosttest.Gate(t, hostapi.Quota{}, outer, inner)
	var turns hostapi.Turns
	queue := turns.Queue(nil)
	call := func(ctx context.Context, tool string) (hostapi.Result, func()) {
		ctx, leave := queue.Call(ctx)
		issued, err := gate.Issue(ctx, hostapi.Call{Tool: tool, Args: json.RawMessage("{}")})
		if err != nil {
			t.Fatal(err)
		}
		result, _ := issued.Do(ctx)
		return result, leave
	}
	result, leave := call(t.Context(), "outer")
	if result.Output != large {
		t.Errorf("got %d bytes", len(result.Output))
	}
	waits, stop := context.WithCancel(t.Context())
	made = stop
	result, leaveWaiting := call(waits, "inner")
	if result.Output != "" || result.Bytes != int64(len(large)) {
		t.Errorf("got %d bytes of %d for a run that is over", len(result.Output), result.Bytes)
	}
	leaveWaiting()
	leave()
	made = func() {}
	if result, leave = call(t.Context(), "inner"); result.Output != large {
		t.Errorf("got %d bytes", len(result.Output))
	}
	leave()
}

// TestTwoCallsOfARunLookAtMuch at once; those that tools make do not wait, and none in a run
// that is over.
func TestTwoCallsOfARunLookAtMuch(t *testing.T) {
	t.Parallel()
	there, over := make(chan struct{}), make(chan struct{})
	look := &hosttest.Fake{ToolName: "look", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		leave, err := call.Look(ctx)
		if err != nil {
			return hostapi.Result{}, err
		}
		defer leave()
		if string(call.Args) == `{"in":true}` {
			there <- struct{}{}
			<-over
			return call.Invoke(ctx, "look", json.RawMessage("{}"))
		}
		return hostapi.Succeed("seen"), nil
	}}
	gate := hosttest.Gate(t, hostapi.Quota{}, look)
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if result, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "look", Args: json.RawMessage(`{"in":true}`)}); err != nil || result.Output != "seen" {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
	<-there
	<-there
	ctx, end := context.WithCancel(t.Context())
	third := make(chan struct{})
	go func() {
		defer close(third)
		if result, err := gate.Invoke(ctx, hostapi.Call{Tool: "look", Args: json.RawMessage("{}")}); err == nil && result.Output == "seen" {
			t.Errorf("a third looked: %+v", result)
		}
	}()
	end()
	<-third
	close(over)
	calls.Wait()
}
