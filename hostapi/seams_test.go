package hostapi_test

import (
	"context"
	"errors"
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
