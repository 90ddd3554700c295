package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
)

// TestAroundRunsAndCalls: what goes around runs and calls sees every run, refused ones
// too, and its context reaches the tools.
func TestAroundRunsAndCalls(t *testing.T) {
	t.Parallel()
	type key struct{}
	var mu sync.Mutex
	var lines []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	tool := &hosttest.Fake{ToolName: "t", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		return hostapi.Succeed(fmt.Sprint(ctx.Value(key{}))), nil
	}}
	around := func(name string) hostapi.Around {
		return func(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
			note("%s sees %s in %v", name, call.Tool, ctx.Value(key{}))
			return next(ctx)
		}
	}
	outermost := func(ctx context.Context, request runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
		defer note("%s has ended", request.Tool)
		return next(context.WithValue(ctx, key{}, "no span"))
	}
	runner, err := runtime.New(runtime.Options{
		Tools: []hostapi.Tool{tool}, Around: []hostapi.Around{around("runner")},
		AroundRuns: []runtime.AroundRun{outermost, func(ctx context.Context, request runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
			report := next(context.WithValue(ctx, key{}, "span"))
			note("%s: %s, refused %v", request.Tool, report.Outcome, request.Refused)
			return report
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	report := runner.Run(t.Context(), runtime.Request{
		Tool: "a", Program: compile(t, runner, "return (await ctx.tool('t')).output"), Allow: []hostapi.Rule{{Tool: "t"}}, Around: []hostapi.Around{around("request")},
	})
	if string(report.Value) != `"span"` {
		t.Errorf("%s: %s", report, report.Value)
	}
	runner.Run(t.Context(), runtime.Request{Tool: "b", Refused: errors.New("no such file")})
	runner.Run(t.Context(), runtime.Request{Tool: "c"})
	want := []string{
		"runner sees t in span", "request sees t in span", "a: ok, refused <nil>", "a has ended",
		"b: invalid_input, refused no such file", "b has ended",
		"c: invalid_input, refused a request needs a program; see Runner.Compile, or set Source", "c has ended",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// TestAroundRunsLosesNoReport: whatever it does, there is a report, and it tells what
// happened, of an AroundRun too.
func TestAroundRunsLosesNoReport(t *testing.T) {
	t.Parallel()
	full := errors.New("the audit is full")
	for name, c := range map[string]struct {
		around  runtime.AroundRun
		outcome runtime.Outcome
		says    string
	}{
		"nil after the run": {func(ctx context.Context, _ runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
			next(ctx)
			return nil
		}, runtime.OutcomeCancelled, "the run was cancelled: an AroundRun of the host returned no report; this is a bug of the host"},
		"a panic after the run": {func(ctx context.Context, _ runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
			next(ctx)
			panic("at the disco")
		}, runtime.OutcomeCancelled, "the run was cancelled: an AroundRun of the host panicked; this is a bug of the host: at the disco"},
		"a panic before it": {func(context.Context, runtime.Request, func(context.Context) *runtime.Report) *runtime.Report {
			panic("at the disco")
		}, runtime.OutcomeInvalidInput, "a bug of the host: at the disco"},
		"neither before nor after it": {func(context.Context, runtime.Request, func(context.Context) *runtime.Report) *runtime.Report {
			return nil
		}, runtime.OutcomeInvalidInput, "an AroundRun of the host returned no report; this is a bug of the host"},
		"a report that it cancels, twice": {func(ctx context.Context, _ runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
			report := next(ctx)
			report.Outcome, report.Limit = runtime.OutcomeLimit, "maxOutputBytes"
			report.Cancel(full)
			report.Cancel(errors.New("and the disk is gone"))
			return report
		}, runtime.OutcomeCancelled, "the run was cancelled: the audit is full"},
		"a context that it cancels": {func(ctx context.Context, _ runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
			ctx, cancel := context.WithCancelCause(ctx)
			cancel(full)
			return next(ctx)
		}, runtime.OutcomeCancelled, "the run was cancelled: the audit is full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, err := runtime.New(runtime.Options{AroundRuns: []runtime.AroundRun{c.around}})
			if err != nil {
				t.Fatal(err)
			}
			defer runner.Close()
			report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, "return 1")})
			if report.Outcome != c.outcome || report.Limit != "" || report.Value != nil || report.Text != "" || !strings.HasSuffix(report.Failure.Message, c.says) {
				t.Errorf("%s, %+v", report, report.Failure)
			}
		})
	}
}

// TestToolsThatCallToolsKeepTheScriptsNumbers: the realm's second call is the third on
// the ledger, and its refusal, and what is done with it, are found there.
func TestToolsThatCallToolsKeepTheScriptsNumbers(t *testing.T) {
	t.Parallel()
	inner := &hosttest.Fake{ToolName: "inner", Answer: hostapi.Succeed("in")}
	outer := &hosttest.Fake{ToolName: "outer", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
		return call.Invoke(ctx, "inner", nil)
	}}
	runner, err := runtime.New(runtime.Options{Tools: []hostapi.Tool{inner, outer}})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "await ctx.tool('outer'); await ctx.tool('secret')"), Allow: []hostapi.Rule{{Tool: "inner"}, {Tool: "outer"}},
	})
	var rows []string
	for _, c := range report.Calls {
		rows = append(rows, fmt.Sprint(c.Seq, " ", c.Tool, " of ", c.Parent, " ", c.Status))
	}
	if diff := cmp.Diff([]string{"1 outer of 0 ok", "2 inner of 1 ok", "3 secret of 0 denied"}, rows); diff != "" {
		t.Error(diff)
	}
	if report.Outcome != runtime.OutcomeDenied || report.Failure.Code != hostapi.CodeUnknownTool {
		t.Errorf("%s, %+v", report, report.Failure)
	}
}

// TestAroundRunsKnowTheRun: its number, who asks for it, and how many there are.
func TestAroundRunsKnowTheRun(t *testing.T) {
	t.Parallel()
	var runner *runtime.Runner
	var loads [][2]int64
	load := func() {
		running, waiting := runner.Load()
		loads = append(loads, [2]int64{running, waiting})
	}
	var ids []string
	tool := &hosttest.Fake{ToolName: "t", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) {
		load()
		return hostapi.Succeed(""), nil
	}}
	runner, err := runtime.New(runtime.Options{
		Tools: []hostapi.Tool{tool},
		AroundRuns: []runtime.AroundRun{func(ctx context.Context, request runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
			load()
			report := next(ctx)
			load()
			ids = append(ids, request.RunID()+" for "+request.Caller, report.Run+" for editor")
			return report
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "await ctx.tool('t')"), Allow: []hostapi.Rule{{Tool: "t"}}, Caller: "editor",
	})
	if report.Outcome != runtime.OutcomeOK || report.Usage.WorkerWait <= 0 {
		t.Errorf("%s, waited %v", report, report.Usage.WorkerWait)
	}
	runner.Run(t.Context(), runtime.Request{Refused: errors.New("no such file"), Caller: "editor"})
	for i := 0; i < len(ids); i += 2 {
		if ids[i] != ids[i+1] || len(ids[i]) < 20 || len(ids) != 4 || ids[0] == ids[2] {
			t.Errorf("got %q", ids)
		}
	}
	if diff := cmp.Diff([][2]int64{{}, {1, 0}, {}, {}, {}}, loads); diff != "" {
		t.Error(diff)
	}
}
