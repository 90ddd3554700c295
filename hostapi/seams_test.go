package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
)

type around = func(context.Context, hostapi.Call, func(context.Context) (hostapi.Result, error)) (hostapi.Result, error)

// untilEnd is a tool that returns when its context ends, and says that it is there.
func untilEnd() (tool *hostapi.Func, there chan struct{}) {
	there = make(chan struct{}, 1)
	return &hostapi.Func{ToolName: "work", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		there <- struct{}{}
		<-ctx.Done()
		return hostapi.Result{}, ctx.Err()
	}}, there
}

// TestAroundLeadsNoToolAstray: one that is given a context of another life, or is left
// behind, still ends with the run, and the gate waits for it.
func TestAroundLeadsNoToolAstray(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]around{
		"another context": func(ctx context.Context, _ hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			return next(context.WithoutCancel(ctx))
		},
		"left behind": func(ctx context.Context, _ hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			go func() { _, _ = next(context.WithoutCancel(ctx)) }()
			return hostapi.Fail("it took too long"), nil
		},
	} {
		tool, there := untilEnd()
		gate := aroundGate(t, []hostapi.Around{f}, tool)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = gate.Invoke(t.Context(), hostapi.Call{Tool: "work"})
		}()
		<-there
		if left := gate.Close(time.Minute); left != nil {
			t.Errorf("%s: %v are left", name, left)
		}
		<-ended
		<-gate.Settled()
	}
}

// TestCallsThatEndedCallNoMore: Invoke is of no use once the tool has returned.
func TestCallsThatEndedCallNoMore(t *testing.T) {
	t.Parallel()
	var kept hostapi.Call
	outer := &hostapi.Func{ToolName: "outer", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
		kept = call
		return hostapi.Succeed(""), nil
	}}
	inner := &hosttest.Fake{ToolName: "inner"}
	gate := aroundGate(t, nil, outer, inner)
	if _, err := gate.Invoke(t.Context(), hostapi.Call{Tool: "outer"}); err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Invoke(t.Context(), "inner", nil); err == nil || len(inner.Calls()) > 0 || len(gate.Records()) != 1 {
		t.Errorf("%v, %d calls", err, len(inner.Calls()))
	}
}

// TestCallFromIsOnesOwn: a tool that another one calls is not given that one's call.
func TestCallFromIsOnesOwn(t *testing.T) {
	t.Parallel()
	inner := &hostapi.Func{ToolName: "inner", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		if call, ok := hostapi.CallFrom(ctx); ok {
			return hostapi.Fail("it has the call of " + call.Tool), nil
		}
		return hostapi.Succeed("it has none"), nil
	}}
	outer := hostapi.Typed("outer", "it calls another", func(ctx context.Context, _ struct{}) (hostapi.Result, error) {
		call, _ := hostapi.CallFrom(ctx)
		return call.Invoke(ctx, "inner", nil)
	})
	if r, err := aroundGate(t, nil, inner, outer).Invoke(t.Context(), hostapi.Call{Tool: "outer"}); err != nil || r.Output != "it has none" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBackgroundPassesNoDecoratorBy: one without a Start is not gone past.
func TestBackgroundPassesNoDecoratorBy(t *testing.T) {
	t.Parallel()
	tool := &endless{Func: hostapi.Func{ToolName: "work", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Result{}, nil }}}
	tool.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return newTask(), hostapi.Result{}, nil }
	if _, err := begin(t, aroundGate(t, nil, signed{tool}), 1, "{}"); !errors.Is(err, hostapi.ErrInvalidArgs) {
		t.Errorf("got %v", err)
	}
	if _, err := begin(t, aroundGate(t, nil, &hosttest.Recorder{Tool: tool}), 1, "{}"); err != nil {
		t.Error(err)
	}
}

// TestRefusalsHoldUpNobody: what goes around a refused call may take its time, and the
// call behind it is decided.
func TestRefusalsHoldUpNobody(t *testing.T) {
	t.Parallel()
	behind := make(chan struct{})
	tool := &hosttest.Fake{ToolName: "work", Answer: hostapi.Succeed("done")}
	gate := aroundGate(t, []hostapi.Around{func(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
		if call.Refused != nil {
			<-behind
		}
		return next(ctx)
	}}, tool)
	first, _ := gate.Ask(hostapi.Call{Tool: "none"})
	second, _ := gate.Ask(hostapi.Call{Tool: "work"})
	refused := make(chan error)
	go func() {
		_, err := first.Decide(t.Context())
		refused <- err
	}()
	issued, err := second.Decide(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	close(behind)
	if err := <-refused; !errors.Is(err, hostapi.ErrDenied) {
		t.Error(err)
	}
	if _, err := issued.Do(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestComposedResultsAreCut: what a tool adds to the result of another counts.
func TestComposedResultsAreCut(t *testing.T) {
	t.Parallel()
	inner := &hostapi.Func{ToolName: "inner", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(strings.Repeat("a", 1000)).WithData(strings.Repeat("b", 900)), nil
	}}
	outer := &hostapi.Func{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		r, err := call.Invoke(ctx, "inner", nil)
		r.Output, r.Data = r.Output+string(r.Data), nil
		return r, err
	}}
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, inner, outer), Policies: lists(rules(t, "inner", "outer")), Quota: hostapi.Quota{MaxResultBytes: 1000},
	})
	r, err := g.Invoke(t.Context(), hostapi.Call{Tool: "outer"})
	if err != nil || !r.Truncated || len(r.Output) > 1100 {
		t.Errorf("%d bytes, truncated %v, %v", len(r.Output), r.Truncated, err)
	}
}

// TestStatusOfIsThatOfTheLedger, also for a write that a person refused, and for a tool
// that passes the refusal of another one on.
func TestStatusOfIsThatOfTheLedger(t *testing.T) {
	t.Parallel()
	inner := &hosttest.Fake{ToolName: "inner"}
	outer := &hostapi.Func{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		return call.Invoke(ctx, "inner", nil)
	}}
	task := &endless{Func: hostapi.Func{ToolName: "work", Do: atOnce}}
	task.start = func(hostapi.Call) (hostapi.Handle, hostapi.Result, error) { return newTask(), hostapi.Result{}, nil }
	var mu sync.Mutex
	said := map[string]hostapi.Status{}
	who := &person{answers: func(q hostapi.Question) (hostapi.Answer, error) {
		if q.Call.Operation != "" {
			return hostapi.AnswerNo, nil
		}
		return hostapi.AnswerOnce, nil
	}}
	g := gate(t, hostapi.GateConfig{
		Registry: registry(t, inner, outer, task), Quota: hostapi.Quota{MaxToolCalls: 2}, Approver: who,
		Policies: append(lists(rules(t, "inner", "outer", "work")), hostapi.Rules{Ask: rules(t, "work")}),
		Around: []hostapi.Around{func(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
			r, err := next(ctx)
			mu.Lock()
			defer mu.Unlock()
			said[call.Tool+call.Operation] = hostapi.StatusOf(ctx, call, r, err)
			return r, err
		}},
	})
	if _, err := begin(t, g, 1, "{}"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Operate(t.Context(), 1, hostapi.OperationWrite, json.RawMessage(`{"text":"x"}`)); !errors.Is(err, hostapi.ErrDenied) {
		t.Error(err)
	}
	if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "outer"}); err != nil {
		t.Error(err)
	}
	for _, row := range g.Records() {
		for _, op := range row.Operations {
			if said["work"+op.Name] != op.Status || op.Status != hostapi.StatusDenied {
				t.Errorf("%s: %s, and %s on the ledger", op.Name, said["work"+op.Name], op.Status)
			}
		}
		if row.Tool != "work" && said[row.Tool] != row.Status {
			t.Errorf("%s: %s, and %s on the ledger", row.Tool, said[row.Tool], row.Status)
		}
	}
}

// selfish is a tool that decorates itself.
type selfish struct{ hosttest.Fake }

func (s *selfish) Unwrap() hostapi.Tool { return s }

func TestAsEndsWhereUnwrapDoesNot(t *testing.T) {
	t.Parallel()
	if _, ok := hostapi.As[hostapi.Scoper](&selfish{}); ok {
		t.Error("it has a plan")
	}
}

// TestManyRulesAreNamedInPart in a refusal, and a question about more than five is for
// one call.
func TestManyRulesAreNamedInPart(t *testing.T) {
	t.Parallel()
	for _, many := range []int{5, 6, 10} {
		who := &person{answers: func(hostapi.Question) (hostapi.Answer, error) { return hostapi.AnswerRun, nil }}
		var ask []hostapi.Rule
		for i := range many {
			ask = append(ask, hostapi.Rule{Tool: "work", From: fmt.Sprintf("config.toml:%d:1", i+1)})
		}
		g := gate(t, hostapi.GateConfig{
			Registry: registry(t, &hosttest.Fake{ToolName: "work"}), Approver: who,
			Policies: append(lists(rules(t, "work")), hostapi.Rules{Ask: ask}),
		})
		for range 2 {
			if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "work"}); err != nil {
				t.Fatal(err)
			}
		}
		if asked := len(who.asked); asked == 1 != (many <= 5) {
			t.Errorf("of %d rules it was asked %d times", many, asked)
		}
		because, more := who.asked[0].Because(), fmt.Sprintf("Asked because of %d more rules.\n", many-5)
		if strings.HasSuffix(because, more) != (many > 5) || strings.Count(because, "\n") != min(many, 6) {
			t.Errorf("%q", because)
		}
	}
	long := hostapi.Question{Rules: []hostapi.Rule{{Tool: "bash", Pattern: "a " + strings.Repeat("x", 160), From: "here"}, {Tool: "bash", Pattern: "b", From: "there"}}}
	if because := long.Because(); !strings.Contains(because, "xxx... (here)") || !strings.Contains(because, "bash(b) (there)") {
		t.Errorf("%q", because)
	}
	var list hostapi.AllowList
	for i := range 11 {
		list = append(list, hostapi.Rule{Tool: "work", Pattern: "p" + strconv.Itoa(i)})
	}
	g := gate(t, hostapi.GateConfig{Registry: registry(t, &hosttest.Fake{ToolName: "work"}, &hosttest.Fake{ToolName: "other"}), Policies: []hostapi.Policy{list}})
	if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "other"}); err == nil || !strings.Contains(err.Error(), "work(p7), and 3 more") {
		t.Error(err)
	}
}

// TestNobodyToAskIsSaid, with the rule if there is one.
func TestNobodyToAskIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy hostapi.Policy
		says   string
	}{
		{hostapi.Rules{Ask: []hostapi.Rule{{Tool: "work", From: "config.toml:1:8"}}}, "a person is asked first, by work (config.toml:1:8), and there is nobody to ask"},
		{policyFunc(func(context.Context, hostapi.Call) (hostapi.Decision, error) {
			return hostapi.Decision{Verdict: hostapi.VerdictAsk}, nil
		}), "it asks a person first, and there is nobody to ask"},
	} {
		g := gate(t, hostapi.GateConfig{Registry: registry(t, &hosttest.Fake{ToolName: "work"}), Policies: append(lists(rules(t, "work")), c.policy)})
		if _, err := g.Invoke(t.Context(), hostapi.Call{Tool: "work"}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
