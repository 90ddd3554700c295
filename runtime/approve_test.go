package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
)

// slowly answers when the run's own time would have been up.
type slowly time.Duration

func (s slowly) Approve(ctx context.Context, _ hostapi.Question) (hostapi.Answer, error) {
	select {
	case <-time.After(time.Duration(s)): // that time has passed is what the test is about
		return hostapi.AnswerOnce, nil
	case <-ctx.Done():
		return hostapi.AnswerNo, context.Cause(ctx)
	}
}

// TestWaitingForAPersonUsesUpNoTimeout: a wait of three times the timeout does not end
// the run, and is on the report; in a worker and in process.
func TestWaitingForAPersonUsesUpNoTimeout(t *testing.T) {
	t.Parallel()
	for _, inProcess := range []bool{false, true} {
		const timeout = time.Second
		tool := &hosttest.Fake{ToolName: "t", Answer: hostapi.Succeed("done")}
		runner, err := runtime.New(runtime.Options{
			Tools: []hostapi.Tool{tool}, InProcess: inProcess, Approver: slowly(3 * timeout),
			Policies: []hostapi.Policy{hostapi.Rules{Ask: []hostapi.Rule{{Tool: "t"}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		report := runner.Run(t.Context(), runtime.Request{
			Program: compile(t, runner, "return (await ctx.tool('t')).output"), Allow: []hostapi.Rule{{Tool: "t"}}, Limits: runtime.Limits{Timeout: timeout},
		})
		if report.Outcome != runtime.OutcomeOK || report.Usage.ApprovalWait < 3*timeout || report.Calls[0].Verdict != hostapi.VerdictAsk {
			t.Errorf("%s, asked for %v, %+v", report, report.Usage.ApprovalWait, report.Calls)
		}
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	}
}

// forgetful is a tool that holds the clock and does not release it, also in the background.
type forgetful struct {
	hosttest.Fake
	atOnceOver
}

func (f *forgetful) Start(_ context.Context, call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	call.Hold()
	return f.atOnceOver, hostapi.Succeed(""), nil
}

// atOnceOver is a handle to work that has ended.
type atOnceOver struct{}

func (atOnceOver) Wait(context.Context) (hostapi.Result, error) { return hostapi.Succeed(""), nil }
func (atOnceOver) Close() error                                 { return nil }
func (atOnceOver) Operate(context.Context, string, json.RawMessage) (hostapi.Result, error) {
	return hostapi.Succeed(""), nil
}

// TestForgottenHoldsEndWithTheirCall: a tool that does not release the clock, or panics, or
// holds it for a call that has ended, leaves a run that still has a deadline.
func TestForgottenHoldsEndWithTheirCall(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"panics":            "await ctx.tool('bash').catch(() => 0)",
		"returns":           "await ctx.tool('bash')",
		"is over":           "await ctx.tool('bash'); await ctx.tool('bash')",
		"in the background": "const work = await ctx.shell.start('x'); await work.wait().catch(() => 0)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var over hostapi.Call
			tool := &forgetful{Fake: hosttest.Fake{ToolName: "bash", Do: func(_ context.Context, call hostapi.Call) (hostapi.Result, error) {
				switch {
				case name == "is over" && call.Seq == 1:
					over = call
				case name == "is over":
					over.Hold()
				case call.Hold() != nil && name == "panics":
					panic("at the disco")
				}
				return hostapi.Succeed("held"), nil
			}}}
			runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{tool}})
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Second, errors.New("the clock is held for good"))
			defer cancel()
			report := runner.Run(ctx, runtime.Request{
				Program: compile(t, runner, script+"; await new Promise(() => { setInterval(() => {}, 10) })"), Allow: []hostapi.Rule{{Tool: "bash"}}, Limits: runtime.Limits{Timeout: 300 * time.Millisecond},
			})
			if report.Outcome != runtime.OutcomeTimeout {
				t.Errorf("%s", report)
			}
		})
	}
}

// slowToShow is a tool whose preview takes as long as it may.
type slowToShow struct{ hosttest.Fake }

func (*slowToShow) Preview(ctx context.Context, _ hostapi.Call) (string, error) {
	<-ctx.Done()
	return "", context.Cause(ctx)
}

// TestShowingTakesTheRunsTime: what a person is to be shown is made within the run's
// time; only the person's is not counted.
func TestShowingTakesTheRunsTime(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, runtime.Options{
		Tools: []hostapi.Tool{&slowToShow{hosttest.Fake{ToolName: "t"}}}, Approver: slowly(0), Policies: []hostapi.Policy{hostapi.Rules{Ask: []hostapi.Rule{{Tool: "t"}}}},
	})
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "await ctx.tool('t')"), Allow: []hostapi.Rule{{Tool: "t"}}, Limits: runtime.Limits{Timeout: 300 * time.Millisecond},
	})
	if report.Outcome != runtime.OutcomeTimeout || report.Usage.ApprovalWait > 0 {
		t.Errorf("%s, asked for %v", report, report.Usage.ApprovalWait)
	}
}

// TestTimeGoesOnAfterTheAnswer: what the script has left is what it had before.
func TestTimeGoesOnAfterTheAnswer(t *testing.T) {
	t.Parallel()
	runner, err := runtime.New(runtime.Options{Approver: slowly(time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "await ctx.approve('go on?'); for (;;);"), Limits: runtime.Limits{Timeout: 3 * time.Second},
	})
	if report.Outcome != runtime.OutcomeTimeout || report.Usage.ApprovalWait < time.Second {
		t.Errorf("%s, asked for %v", report, report.Usage.ApprovalWait)
	}
}

// TestAskingMakesNoTimeToCompute: a script that does not wait for the answer computes
// for as long as the run may last, and no longer.
func TestAskingMakesNoTimeToCompute(t *testing.T) {
	t.Parallel()
	runner, err := runtime.New(runtime.Options{Approver: slowly(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	report := runner.Run(t.Context(), runtime.Request{
		Program: compile(t, runner, "ctx.approve('go on?'); for (;;);"), Limits: runtime.Limits{Timeout: time.Second},
	})
	if report.Outcome != runtime.OutcomeTimeout {
		t.Errorf("%s", report)
	}
}

// TestScriptIsRefusedByAPerson: the refusal is a ToolError that the script can catch,
// and one that it does not catch is the outcome denied.
func TestScriptIsRefusedByAPerson(t *testing.T) {
	t.Parallel()
	runner, err := runtime.New(runtime.Options{InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	for body, want := range map[string]runtime.Outcome{
		"try { await ctx.approve('may I?') } catch (e) { return [e.name, e.code, e.tool].join() }": runtime.OutcomeOK,
		"await ctx.approve('may I?')": runtime.OutcomeDenied,
	} {
		report := runner.Run(t.Context(), runtime.Request{Program: compile(t, runner, body), Approver: no{}})
		if report.Outcome != want || want == runtime.OutcomeOK && string(report.Value) != `"ToolError,denied,approve"` || want == runtime.OutcomeDenied && !strings.Contains(report.Failure.Message, "said no") {
			t.Errorf("%s: %s, %s, %v", body, report, report.Value, report.Failure)
		}
	}
}

type no struct{}

func (no) Approve(context.Context, hostapi.Question) (hostapi.Answer, error) {
	return hostapi.AnswerNo, nil
}
