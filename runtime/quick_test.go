package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

func workers(t testing.TB, options runtime.Options) *runtime.Runner {
	t.Helper()
	runner, err := runtime.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return runner
}

func compiled(t testing.TB, runner *runtime.Runner, body string) *runtime.Program {
	t.Helper()
	program, err := runner.Compile(t.Context(), runtime.Source{Name: "t.js", Body: []byte(body), FunctionBody: true})
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// bothCells runs a test in a worker and in process.
func bothCells(t *testing.T, test func(t *testing.T, options runtime.Options)) {
	t.Parallel()
	for name, inProcess := range map[string]bool{"worker": false, "in process": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, runtime.Options{InProcess: inProcess})
		})
	}
}

// turncoat answers at once, three times, and then does something else.
func turncoat(then func(context.Context) (hostapi.Result, error)) hostapi.Tool {
	calls := 0
	return tool("turncoat", func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
		if calls++; calls > 3 {
			return then(ctx)
		}
		return hostapi.Succeed("quick"), nil
	})
}

const thrice = "for (let i = 0; i < 3; i++) await ctx.tool('turncoat'); "

// TestQuickToolThatWaits: a tool that was quick and now waits for another call
// of the same script holds nothing up.
func TestQuickToolThatWaits(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		released := make(chan struct{})
		options.Tools = []hostapi.Tool{
			turncoat(func(ctx context.Context) (hostapi.Result, error) {
				select {
				case <-released:
					return hostapi.Succeed("released"), nil
				case <-ctx.Done():
					return hostapi.Result{}, ctx.Err()
				}
			}),
			tool("release", func(context.Context, hostapi.Call) (hostapi.Result, error) {
				close(released)
				return hostapi.Succeed("done"), nil
			}),
		}
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compiled(t, runner, thrice+"const all = await Promise.all([ctx.tool('turncoat'), ctx.tool('release')]); await ctx.tool('turncoat'); return all.map((r) => r.output)"),
			Allow:   []hostapi.Rule{{Tool: "turncoat"}, {Tool: "release"}},
		})
		if string(report.Value) != `["released","done"]` || len(report.Calls) != 6 {
			t.Errorf("%s: %s, %d calls", report, report.Value, len(report.Calls))
		}
	})
}

// TestQuickToolThatStays: a tool that was quick and now stays whatever happens
// does not keep its run from ending.
func TestQuickToolThatStays(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		for _, want := range []runtime.Outcome{runtime.OutcomeTimeout, runtime.OutcomeCancelled} {
			t.Run(string(want), func(t *testing.T) {
				t.Parallel()
				stays(t, options, want)
			})
		}
	})
}

func stays(t *testing.T, options runtime.Options, want runtime.Outcome) {
	t.Helper()
	leave := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	options.Tools = []hostapi.Tool{turncoat(func(context.Context) (hostapi.Result, error) {
		if want == runtime.OutcomeCancelled {
			cancel()
		}
		<-leave
		return hostapi.Result{}, errors.New("too late")
	})}
	runner := workers(t, options)
	report := runner.Run(ctx, runtime.Request{
		Program: compiled(t, runner, thrice+"await ctx.tool('turncoat')"),
		Allow:   []hostapi.Rule{{Tool: "turncoat"}},
		Limits:  runtime.Limits{Timeout: 3 * time.Second},
	})
	if want == runtime.OutcomeCancelled && report.Outcome != want || report.Outcome == runtime.OutcomeOK || len(report.Isolation.UnsettledTools) != 1 || len(report.Calls) != 4 {
		t.Errorf("%s, %+v; want %s", report, report.Isolation, want)
	}
	cancel()
	close(leave)
}

// TestLateAnswer: what answers a run that is over is no answer to the next run
// of the same worker, whose calls have the same numbers.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	started, leave, first := make(chan struct{}), make(chan struct{}), make(chan *runtime.Report, 1)
	slow := tool("slow", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		close(started)
		<-leave
		return hostapi.Succeed("slow"), nil
	})
	sync := tool("sync", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		<-started
		return hostapi.Succeed(""), nil
	})
	fast := tool("fast", func(context.Context, hostapi.Call) (hostapi.Result, error) {
		close(leave)
		<-first // it is settled
		return hostapi.Succeed("fast"), nil
	})
	runner := workers(t, runtime.Options{Tools: []hostapi.Tool{slow, sync, fast}, MaxWorkers: 1})
	request := runtime.Request{
		Program: compiled(t, runner, "if (inputs.leaves) { ctx.tool('slow'); await ctx.tool('sync'); throw 'left' } return (await ctx.tool('fast')).output"),
		Allow:   []hostapi.Rule{{Tool: "slow"}, {Tool: "sync"}, {Tool: "fast"}},
	}
	leaving := request
	leaving.Inputs = json.RawMessage(`{"leaves":true}`)
	go func() { first <- runner.Run(t.Context(), leaving) }()
	<-started
	if report := runner.Run(t.Context(), request); string(report.Value) != `"fast"` {
		t.Errorf("%s: %s", report, report.Value)
	}
}
