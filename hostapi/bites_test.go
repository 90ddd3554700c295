package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

// TestHandleThatComesTooLateIsClosed: work that begins when the run is over is ended.
func TestHandleThatComesTooLateIsClosed(t *testing.T) {
	t.Parallel()
	starting, over, work := make(chan struct{}), make(chan struct{}), newTask()
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Result{}, nil }}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
		close(starting)
		<-over
		return work, hostapi.Result{}, nil
	}
	gate := aroundGate(t, nil, tool)
	begun := make(chan error, 1)
	go func() {
		_, err := begin(t, gate, 1, "{}")
		begun <- err
	}()
	<-starting
	if left := gate.Close(0); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
	close(over)
	<-begun
	<-work.closed
	<-gate.Settled()
}

// TestOperationsCountTowardsTheBytesOfARun: what they bring and what they are given.
func TestOperationsCountTowardsTheBytesOfARun(t *testing.T) {
	t.Parallel()
	gate, made := backgroundGate(t, hostapi.Quota{MaxTotalBytes: 1000})
	if _, err := begin(t, gate, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	<-made
	args := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	if r, err := gate.Operate(t.Context(), 1, "echo", args(600)); err != nil || !strings.Contains(r.Output, hostapi.LimitTotalBytes) || r.Data != nil {
		t.Errorf("its result: %+v, %v", r, err)
	}
	if _, err := gate.Operate(t.Context(), 1, "echo", args(600)); !errors.Is(err, hostapi.ErrOverLimit) {
		t.Errorf("its arguments: %v", err)
	}
	if ops := gate.Records()[0].Operations; len(ops) != 2 || ops[0].Status != hostapi.StatusFailed || ops[0].Err == "" || ops[1].Status != hostapi.StatusOverLimit {
		t.Errorf("%+v", ops)
	}
}

// TestANoGivesThePlaceBack: a call in the background that a person refuses takes none of
// the places there are.
func TestANoGivesThePlaceBack(t *testing.T) {
	t.Parallel()
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Result{}, nil }}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return newTask(), hostapi.Result{}, nil }
	answers := []hostapi.Answer{hostapi.AnswerNo, hostapi.AnswerNo, hostapi.AnswerOnce}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry(t, tool), Quota: hostapi.Quota{MaxBackground: 1},
		Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "work"}}, hostapi.Rules{Ask: []hostapi.Rule{{Tool: "work"}}}},
		Approver: approverFunc(func(context.Context, hostapi.Question) (answer hostapi.Answer, _ error) {
			answer, answers = answers[0], answers[1:]
			return answer, nil
		}),
	})
	defer gate.Close(time.Minute)
	for seq, want := range []error{hostapi.ErrDenied, hostapi.ErrDenied, nil} {
		if _, err := begin(t, gate, seq+1, "{}"); !errors.Is(err, want) {
			t.Errorf("call %d: %v", seq+1, err)
		}
	}
}

// TestAYesForTheRunIsOneForRules: where a policy without a rule asks as well, every call is
// asked about.
func TestAYesForTheRunIsOneForRules(t *testing.T) {
	t.Parallel()
	asked := 0
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{
		Registry: registry(t, &hosttest.Fake{ToolName: "work"}),
		Policies: []hostapi.Policy{
			hostapi.AllowList{{Tool: "work"}}, hostapi.Rules{Ask: []hostapi.Rule{{Tool: "work"}}},
			policyFunc(func(context.Context, hostapi.Call) (hostapi.Decision, error) {
				return hostapi.Decision{Verdict: hostapi.VerdictAsk, Reason: "the embedder asks"}, nil
			}),
		},
		Approver: approverFunc(func(_ context.Context, q hostapi.Question) (hostapi.Answer, error) {
			if asked++; !q.Once || !strings.Contains(q.Text, "the embedder asks") {
				t.Errorf("%+v", q)
			}
			return hostapi.AnswerRun, nil
		}),
	})
	defer gate.Close(time.Minute)
	for range 2 {
		if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "work"}); err != nil {
			t.Error(err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}
