//go:build amd64 || arm64

package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
)

// lavish is a tool whose results are as large as they may be, also those of what it starts.
type lavish struct {
	hosttest.Fake
	atOnceOver
	size int
	made *atomic.Int64
}

func (l *lavish) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	l.made.Add(1)
	return hostapi.Succeed(strings.Repeat("x", l.size)), nil
}

func (l *lavish) Start(context.Context, hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	return l, hostapi.Succeed(""), nil
}

func (l *lavish) Wait(context.Context) (hostapi.Result, error) {
	return hostapi.Succeed(strings.Repeat("x", l.size)), nil
}

func (l *lavish) Operate(ctx context.Context, operation string, _ json.RawMessage) (hostapi.Result, error) {
	if operation == hostapi.OperationWaitOutput {
		if err := hostapi.Waited(ctx); err != nil {
			return hostapi.Result{}, err
		}
	}
	return l.Invoke(ctx, hostapi.Call{})
}

// TestNothingIsDoneForAScriptThatDoesNotRead: the host holds a few results, not all that
// a script could ask for.
func TestNothingIsDoneForAScriptThatDoesNotRead(t *testing.T) {
	t.Parallel()
	const queued = 8 // on their way
	for name, c := range map[string]struct {
		worker    string
		size      int
		most, few int64
	}{
		"calls":                  {"asks and does not read", 4 << 20, runtime.MaxConcurrent + queued, runtime.MaxConcurrent},
		"calls of large results": {"asks and does not read", 32 << 20, 4 + queued, 4},
		"operations":             {"looks and does not read", 4 << 20, 4 + queued, 4},
		"waits for one end":      {"waits and does not read", 4 << 20, 4 + queued, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := &lavish{Fake: hosttest.Fake{ToolName: "spend"}, size: c.size, made: new(atomic.Int64)}
			runner, err := runtime.NewWithWorkers(runtime.Options{Tools: []hostapi.Tool{tool}}, c.worker)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = runner.Close() }()
			report := runner.Run(t.Context(), runtime.Request{
				Program: compile(t, runner, "return 1"), Allow: []hostapi.Rule{{Tool: "spend"}},
				Limits: runtime.Limits{Timeout: 8 * time.Second, MaxToolCalls: 64, MaxResultBytes: int64(c.size)},
			})
			n := tool.made.Load()
			for _, call := range report.Calls {
				for _, operation := range call.Operations {
					if operation.Name == hostapi.OperationWait && operation.Status == hostapi.StatusOK {
						n++
					}
				}
			}
			if report.Outcome != runtime.OutcomeTimeout || n < c.few || n > c.most {
				t.Errorf("%d results were made; %s", n, report)
			}
		})
	}
}

// silent is a tool that starts two things: from the first no output ever comes.
type silent struct {
	hosttest.Fake
	started atomic.Int64
}

func (s *silent) Start(context.Context, hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	return &quiet{first: s.started.Add(1) == 1}, hostapi.Succeed(""), nil
}

type quiet struct {
	atOnceOver
	first bool
}

func (q *quiet) Operate(ctx context.Context, _ string, _ json.RawMessage) (hostapi.Result, error) {
	if q.first {
		<-ctx.Done()
	}
	return hostapi.Result{Output: "x", Data: json.RawMessage(`{"output":"x"}`)}, hostapi.Waited(ctx)
}

// TestWaitsForOutputThatNeverComesHoldUpNoOthers: they hold no place of those with a result.
func TestWaitsForOutputThatNeverComesHoldUpNoOthers(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = append(options.Tools, &silent{Fake: hosttest.Fake{ToolName: "bash"}})
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compile(t, runner, `
				const a = await ctx.shell.start("a"), b = await ctx.shell.start("b");
				for (let i = 0; i < 40; i++) a.waitOutput().catch(() => 0);
				return (await b.waitOutput()).output`),
			Allow: []hostapi.Rule{{Tool: "bash"}},
		})
		if report.Outcome != runtime.OutcomeOK || string(report.Value) != `"x"` {
			t.Error(report)
		}
	})
}

// plugged is a tool whose started work takes no end of its input until it is killed.
type plugged struct{ hosttest.Fake }

func (p *plugged) Start(context.Context, hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	return &plug{killed: make(chan struct{})}, hostapi.Succeed(""), nil
}

type plug struct {
	atOnceOver
	killed chan struct{}
}

func (p *plug) Operate(ctx context.Context, operation string, _ json.RawMessage) (hostapi.Result, error) {
	if operation == "kill" {
		close(p.killed)
	}
	select {
	case <-p.killed:
		return hostapi.Succeed(""), nil
	case <-ctx.Done():
		return hostapi.Result{}, ctx.Err()
	}
}

// TestKillIsHeardBesideOperationsThatWait: those that bring nothing hold no place of it.
func TestKillIsHeardBesideOperationsThatWait(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		options.Tools = append(options.Tools, &plugged{Fake: hosttest.Fake{ToolName: "bash"}})
		runner := workers(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compile(t, runner, `
				const all = [];
				for (let i = 0; i < 10; i++) all.push(await ctx.shell.start("a", {input: true}));
				const closed = all.map((h) => h.closeInput());
				for (const h of all) await h.kill();
				await Promise.all(closed);
				return 1`),
			Allow: []hostapi.Rule{{Tool: "bash"}}, Limits: runtime.Limits{Timeout: time.Minute},
		})
		if report.Outcome != runtime.OutcomeOK {
			t.Error(report)
		}
	})
}
