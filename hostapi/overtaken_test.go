package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// TestNextAfterTheRunCallsNoTool: an Around may keep what it was given.
func TestNextAfterTheRunCallsNoTool(t *testing.T) {
	t.Parallel()
	var kept hostapi.Next
	tool := &hosttest.Fake{ToolName: "work"}
	gate := aroundGate(t, []hostapi.Around{func(_ context.Context, _ hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
		kept = next
		return hostapi.Fail("later"), nil
	}}, tool)
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "work"}); err != nil {
		t.Fatal(err)
	}
	gate.Close(time.Minute)
	if _, err := kept(t.Context()); !errors.Is(err, context.Canceled) || len(tool.Calls()) > 0 {
		t.Errorf("%v, %d calls", err, len(tool.Calls()))
	}
}

// TestAroundSeesWhatScriptsGet: a result that is cut, and the plan of a refused call.
func TestAroundSeesWhatScriptsGet(t *testing.T) {
	t.Parallel()
	long := &hostapi.Func{ToolName: "long", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(strings.Repeat("a", 10_000)), nil
	}}
	var seen int
	var truncated bool
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, long), Policies: lists(rules(t, "long")), Quota: hostapi.Quota{MaxResultBytes: 1000},
		Around: []hostapi.Around{func(ctx context.Context, _ hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
			r, err := next(ctx)
			seen, truncated = len(r.Output), r.Truncated
			return r, err
		}},
	})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "long"}); err != nil || seen > 1100 || !truncated {
		t.Errorf("it saw %d bytes, truncated %v; %v", seen, truncated, err)
	}
}

// TestOperationsHaveNothingOfTheirCall: what goes around them gets no plan and no output of the
// call that began the work, and can call nothing through it.
func TestOperationsHaveNothingOfTheirCall(t *testing.T) {
	t.Parallel()
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: atOnce}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return newTask(), hostapi.Result{}, nil }
	var seen hostapi.Call
	failing := errors.New("it is broken")
	gate := aroundGate(t, []hostapi.Around{func(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
		if call.Operation == "" {
			return next(ctx)
		}
		seen = call
		if strings.Contains(string(call.Args), "fail") {
			return hostapi.Result{}, failing
		}
		return next(ctx)
	}}, tool)
	if _, err := begin(t, gate, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	if r, err := gate.Operate(t.Context(), 1, "echo", json.RawMessage(`"12345"`)); err != nil || len(r.Data) != 7 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := seen.Invoke(t.Context(), "work", nil); err == nil || seen.Plan != nil || seen.Output != nil || seen.Operation != "echo" {
		t.Errorf("%+v, %v", seen, err)
	}
	// An error of what is around fails the operation, and a script can catch it.
	if r, err := gate.Operate(t.Context(), 1, "echo", json.RawMessage(`"fail"`)); err != nil || r.Outcome != hostapi.OutcomeFailed || !strings.Contains(r.Output, "it is broken") {
		t.Errorf("%+v, %v", r, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gate.Operate(ended, 1, "echo", json.RawMessage(`"fail"`)); err == nil {
		t.Error("an operation of a call that was given up succeeded")
	}
	if _, err := gate.Operate(ended, 1, hostapi.OperationWait, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	ops := gate.Records()[0].Operations
	if ops[0].OutputBytes != 7 || ops[1].Status != hostapi.StatusFailed || ops[3].Status != hostapi.StatusCancelled || ops[3].Err != "cancelled: the run ended first" {
		t.Errorf("%+v", ops)
	}
}

// slow is a task whose operations last until the test says so.
type slow struct {
	*task
	began, over chan struct{}
}

func (s *slow) Operate(context.Context, string, json.RawMessage) (hostapi.Result, error) {
	close(s.began)
	<-s.over
	return hostapi.Succeed("late"), nil
}

// TestOperationsThatTheEndOvertakesAreCancelled on the ledger, whatever they say later.
func TestOperationsThatTheEndOvertakesAreCancelled(t *testing.T) {
	t.Parallel()
	work := &slow{newTask(), make(chan struct{}), make(chan struct{})}
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: atOnce}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return work, hostapi.Result{}, nil }
	gate := aroundGate(t, nil, tool)
	if _, err := begin(t, gate, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() { _, _ = gate.Operate(t.Context(), 1, "echo", nil) })
	<-work.began
	gate.Close(0)
	before := gate.Records()[0].Operations
	close(work.over)
	group.Wait()
	_, _ = gate.Operate(t.Context(), 1, "echo", nil) // too late for the ledger
	after := gate.Records()[0].Operations
	if len(before) != 1 || before[0].Status != hostapi.StatusCancelled || len(after) != 1 || after[0].Status != hostapi.StatusCancelled {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// TestHoldsEndWithTheirCall, also of a call in the background, and after its end nothing
// is held.
func TestHoldsEndWithTheirCall(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	held := 0
	hold := func() func() {
		mu.Lock()
		defer mu.Unlock()
		held++
		return func() {
			mu.Lock()
			defer mu.Unlock()
			held--
		}
	}
	holding := func() int {
		mu.Lock()
		defer mu.Unlock()
		return held
	}
	var kept []hostapi.Call
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		call.Hold()
		kept = append(kept, call)
		return hostapi.Succeed(""), nil
	}}}
	work := newTask()
	tool.start = func(call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
		call.Hold()
		kept = append(kept, call)
		return work, hostapi.Result{}, nil
	}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: lists(rules(t, "work")), Hold: hold})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "work"}); err != nil || holding() != 0 {
		t.Errorf("%v, %d held", err, holding())
	}
	if _, err := begin(t, g, 2, "{}"); err != nil {
		t.Fatal(err)
	}
	work.end <- hostapi.Succeed("")
	if _, err := g.Operate(t.Context(), 2, hostapi.OperationWait, nil); err != nil {
		t.Error(err)
	}
	for _, call := range kept {
		call.Hold()
	}
	if holding() != 0 {
		t.Errorf("%d are held", holding())
	}
}

// TestPermitAsks: what a call leads to is decided as a call is, a question included.
func TestPermitAsks(t *testing.T) {
	t.Parallel()
	for answer, permitted := range map[hostapi.Answer]bool{hostapi.AnswerOnce: true, hostapi.AnswerNo: false} {
		tool := &hostapi.Func{ToolName: "work", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
			if err := call.Permit(ctx, json.RawMessage(`{"to":"elsewhere"}`)); err != nil {
				return hostapi.Fail(err.Error()), nil
			}
			return hostapi.Succeed("it went there"), nil
		}}
		who := &person{answers: func(hostapi.Question) (hostapi.Answer, error) { return answer, nil }}
		g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Approver: who, Policies: append(lists(rules(t, "work")), policyFunc(func(_ context.Context, call hostapi.Call) (hostapi.Decision, error) {
			if strings.Contains(string(call.Args), "elsewhere") {
				return hostapi.Decision{Verdict: hostapi.VerdictAsk, Reason: "it leads elsewhere"}, nil
			}
			return hostapi.Decision{Verdict: hostapi.VerdictAllow}, nil
		}))})
		r, err := g.Invoke(t.Context(), hostapi.Call{Tool: "work"})
		if err != nil || (r.Outcome == hostapi.OutcomeOK) != permitted || len(who.asked) != 1 {
			t.Errorf("%q: %+v, %v, asked %d times", answer, r, err, len(who.asked))
		}
	}
}

// TestNobodyIsAskedOnceTheRunIsOver: it may end while what the call would do is looked at.
func TestNobodyIsAskedOnceTheRunIsOver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	who := &person{answers: func(hostapi.Question) (hostapi.Answer, error) { return hostapi.AnswerOnce, nil }}
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, &ending{Fake: hosttest.Fake{ToolName: "work"}, end: cancel}), Approver: who,
		Policies: append(lists(rules(t, "work")), hostapi.Rules{Ask: rules(t, "work")}),
	})
	if _, err := g.Invoke(ctx, hostapi.Call{Tool: "work"}); err == nil || len(who.asked) > 0 {
		t.Errorf("%v, asked %d times", err, len(who.asked))
	}
}

// ending ends the run when it is asked what a call would do.
type ending struct {
	hosttest.Fake
	end context.CancelFunc
}

func (e *ending) Preview(context.Context, hostapi.Call) (string, error) {
	e.end()
	return "it would end", nil
}

// TestRefusedCallsHaveTheirPlan for what goes around them, if a rule wanted to know it.
func TestRefusedCallsHaveTheirPlan(t *testing.T) {
	t.Parallel()
	var seen hostapi.Call
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, &paths{hosttest.Fake{ToolName: "paths"}}), Policies: lists(rules(t, "paths(a)")),
		Around: []hostapi.Around{func(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
			seen = call
			return next(ctx)
		}},
	})
	_, err := g.Invoke(t.Context(), hostapi.Call{Tool: "paths", Args: json.RawMessage(`{"path":"b"}`)})
	if err == nil || seen.Refused == nil || seen.Plan == nil || seen.Plan.Subjects()[0].String() != "b" {
		t.Errorf("%+v, %v", seen, err)
	}
}

// TestPermitLooksAtItsOwnArguments, and not at those of the call that was granted.
func TestPermitLooksAtItsOwnArguments(t *testing.T) {
	t.Parallel()
	var elsewhere, within error
	tool := &paths{hosttest.Fake{ToolName: "paths", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		elsewhere, within = call.Permit(ctx, json.RawMessage(`{"path":"b"}`)), call.Permit(ctx, json.RawMessage(`{"path":"ab"}`))
		return hostapi.Succeed(""), nil
	}}}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, tool), Policies: lists(rules(t, "paths(a)"))})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "paths", Args: json.RawMessage(`{"path":"a"}`)}); err != nil || elsewhere == nil || within != nil {
		t.Errorf("%v; elsewhere %v, within %v", err, elsewhere, within)
	}
}
