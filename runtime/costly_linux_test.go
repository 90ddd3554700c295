package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime"
)

// costly is an expression that takes the engine far longer than its length
// would let expect.
type costly struct {
	Name, Open, Middle, Close string
	Times                     int
}

func (c costly) body() []byte {
	return []byte("return " + strings.Repeat(c.Open, c.Times) + c.Middle + strings.Repeat(c.Close, c.Times))
}

func costlySources(t testing.TB) []costly {
	t.Helper()
	text, err := os.ReadFile("testdata/costly.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []costly
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		t.Fatalf("%d sources, %v", len(all), err)
	}
	return all
}

// endless is a source of which nobody finds out what it is.
func endless() []byte {
	return costly{Middle: "1", Close: "&&1", Times: 60}.body()
}

// refusedFor is why a source is refused, once a machine that is busy has had a
// processor for its check.
func refusedFor(t *testing.T, runner *runtime.Runner, source runtime.Source) (err error) {
	t.Helper()
	for range 20 {
		if _, err = runner.Compile(t.Context(), source); err == nil || !strings.Contains(err.Error(), "too little processor time") {
			break
		}
	}
	return err
}

// TestCheckOfCostlySourcesEnds: what takes too long or too much to check is
// refused by name, and the next file is checked all the same.
func TestCheckOfCostlySourcesEnds(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	for _, c := range costlySources(t) {
		t.Run(c.Name, func(t *testing.T) {
			err := refusedFor(t, runner, runtime.Source{Name: "x.js", Body: c.body(), FunctionBody: true, MaxCheck: 200 * time.Millisecond})
			var bad *runtime.CompileError
			if !errors.As(err, &bad) || len(bad.Problems) != 1 || bad.Problems[0].Pos.File != "x.js" || !strings.Contains(err.Error(), "checking it took more than") {
				t.Fatalf("%v", err)
			}
			_, again := runner.Compile(t.Context(), runtime.Source{Name: "x.js", Body: c.body(), FunctionBody: true, MaxCheck: 200 * time.Millisecond})
			if again == nil || again.Error() != err.Error() {
				t.Errorf("the second time: %v", again)
			}
			if _, err := runner.Compile(t.Context(), runtime.Source{Name: c.Name, Body: []byte("return 1"), FunctionBody: true}); err != nil {
				t.Errorf("the next file: %v", err)
			}
		})
	}
}

// TestCheckTakesTwoSecondsAtMost is about the bound that holds where nobody
// asks for another.
func TestCheckTakesTwoSecondsAtMost(t *testing.T) {
	t.Parallel()
	err := refusedFor(t, workers(t, runtime.Options{}), runtime.Source{Name: "x.js", Body: endless(), FunctionBody: true, MaxCheck: time.Hour})
	if err == nil || !strings.Contains(err.Error(), "x.js: checking it took more than 2 s") {
		t.Error(err)
	}
}

// TestCheckEndsWithItsContext: nobody waits for a check that nobody wants.
func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	mine := errors.New("mine")
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, mine)
	defer stop()
	if _, err := runner.Compile(ctx, runtime.Source{Body: endless(), FunctionBody: true}); !errors.Is(err, mine) {
		t.Error(err)
	}
	if _, err := runner.Compile(ctx, runtime.Source{Body: []byte("return 1"), FunctionBody: true}); !errors.Is(err, mine) {
		t.Errorf("after its end: %v", err)
	}
	if _, err := runner.Compile(t.Context(), runtime.Source{Body: []byte("return 1"), FunctionBody: true}); err != nil {
		t.Error(err)
	}
}

// TestShutdownEndsChecks, at once: a check is not a run that may finish.
func TestShutdownEndsChecks(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	failed := make(chan error)
	for range 3 {
		go func() {
			_, err := runner.Compile(t.Context(), runtime.Source{Body: endless(), FunctionBody: true})
			failed <- err
		}()
	}
	go func() {
		failed <- runner.Run(t.Context(), runtime.Request{Source: &runtime.Source{Body: endless(), FunctionBody: true}}).Err()
	}()
	if err := runner.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for range 4 {
		if err := <-failed; err == nil || !strings.Contains(err.Error(), "closed") && !strings.Contains(err.Error(), "cancelled") {
			t.Errorf("a check ended as %v", err)
		}
	}
}

// TestCheckCountsInTheRunsTime: a run that comes with its source ends with its
// deadline, or its context, wherever it is.
func TestCheckCountsInTheRunsTime(t *testing.T) {
	t.Parallel()
	runner := workers(t, runtime.Options{})
	source := &runtime.Source{Name: "e.js", Body: endless(), FunctionBody: true}
	report := runner.Run(t.Context(), runtime.Request{Source: source, Limits: runtime.Limits{Timeout: 300 * time.Millisecond}})
	if report.Outcome != runtime.OutcomeTimeout || report.Digest == "" || report.Path != "e.js" {
		t.Errorf("%s", report)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	if report := runner.Run(ctx, runtime.Request{Source: source}); report.Outcome != runtime.OutcomeCancelled {
		t.Errorf("cancelled: %s", report)
	}
	ended := runner.Run(t.Context(), runtime.Request{
		Source: &runtime.Source{Body: []byte("return 1"), FunctionBody: true}, Began: time.Now().Add(-time.Hour),
	})
	if ended.Outcome != runtime.OutcomeTimeout {
		t.Errorf("what began an hour ago: %s", ended)
	}
	if report := runner.Run(t.Context(), runtime.Request{Source: source}); report.Outcome != runtime.OutcomeScriptError || report.Failure.Name != "CompileError" {
		t.Errorf("with time for its check: %s", report)
	}
}
