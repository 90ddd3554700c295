package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// slowTool takes its time in one method, whatever its context says.
type slowTool struct {
	in    string
	leave chan struct{}
}

func (t slowTool) at(method string) {
	if t.in == method {
		<-t.leave
	}
}

func (t slowTool) Name() string { return "slow" }

func (t slowTool) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	t.at("Invoke")
	return hostapi.Succeed(""), nil
}

func (t slowTool) Check(json.RawMessage) error { t.at("Check"); return nil }

func (t slowTool) CheckPattern(string) error { t.at("CheckPattern"); return nil }

func (t slowTool) Plan(context.Context, hostapi.Call) (hostapi.Plan, error) {
	t.at("Plan")
	return slowPlan{t}, nil
}

func (t slowTool) GrantNames() []string { return []string{"sluggish"} }

func (t slowTool) GrantedBy(json.RawMessage) []string { t.at("GrantedBy"); return nil }

func (t slowTool) Confinement() []hostapi.Measure { t.at("Confinement"); return nil }

type slowPlan struct{ slowTool }

func (p slowPlan) Subjects() []hostapi.Subject {
	p.at("Subjects")
	return []hostapi.Subject{slowSubject(p)}
}

type slowSubject struct{ slowTool }

func (s slowSubject) String() string    { return "x" }
func (s slowSubject) Match(string) bool { s.at("Match"); return true }

// TestRunEndsAtItsDeadlineWhateverAToolDoes: a tool that waits in any of its
// methods, deaf to its context, costs the run its time and no more, and the
// report says which call was left behind.
func TestRunEndsAtItsDeadlineWhateverAToolDoes(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]struct {
		outcome runtime.Outcome
		left    []hostapi.Unsettled
		calls   []hostapi.Status
	}{
		"Invoke":       {"timeout", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}, {Seq: 2, Tool: "slow"}}, []hostapi.Status{"cancelled", "cancelled"}},
		"Check":        {"timeout", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}}, []hostapi.Status{"cancelled", "cancelled"}},
		"Plan":         {"timeout", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}}, []hostapi.Status{"cancelled", "cancelled"}},
		"GrantedBy":    {"timeout", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}}, []hostapi.Status{"cancelled", "cancelled"}},
		"Subjects":     {"timeout", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}}, []hostapi.Status{"cancelled", "cancelled"}},
		"Match":        {"timeout", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}}, []hostapi.Status{"cancelled", "cancelled"}},
		"CheckPattern": {"timeout", []hostapi.Unsettled{{Tool: "slow"}}, nil},
		"Confinement":  {"ok", []hostapi.Unsettled{{Seq: 1, Tool: "slow"}}, []hostapi.Status{"ok", "ok"}},
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			leave := make(chan struct{})
			runner := newRunner(t, runtime.Options{Tools: []hostapi.Tool{slowTool{method, leave}}})
			t.Cleanup(func() { close(leave) }) // before the runner is closed, which waits for it
			program := compile(t, runner, "return await Promise.all([ctx.tool('slow'), ctx.tool('slow')].map((c) => c.then((r) => r.exitCode)))")
			limits := runtime.Limits{Timeout: 3 * time.Second}
			if method == "Confinement" {
				limits.Timeout = time.Minute
			}
			report := runner.Run(t.Context(), runtime.Request{Program: program, Allow: []hostapi.Rule{{Tool: "slow", Pattern: "x"}}, Limits: limits})
			if report.Outcome != want.outcome {
				t.Errorf("%s: %v", report, report.Failure)
			}
			if diff := cmp.Diff(want.left, report.Isolation.UnsettledTools); diff != "" {
				t.Errorf("left behind: %s", diff)
			}
			var statuses []hostapi.Status
			for i, c := range report.Calls {
				statuses = append(statuses, c.Status)
				if c.Seq != i+1 {
					t.Errorf("row %d is call %d", i+1, c.Seq)
				}
			}
			if diff := cmp.Diff(want.calls, statuses); diff != "" {
				t.Errorf("calls: %s", diff)
			}
		})
	}
}

// TestToolsSeeTheDeadlineOfTheRun: in deciding and in doing, and in what goes on
// in the background.
func TestToolsSeeTheDeadlineOfTheRun(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		began := time.Now()
		var seen []time.Time
		see := func(ctx context.Context) {
			deadline, ok := ctx.Deadline()
			if !ok {
				t.Error("a tool was given a context without a deadline")
			}
			seen = append(seen, deadline)
		}
		options.Tools = []hostapi.Tool{seeing{see}}
		runner := newRunner(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compile(t, runner, "await ctx.tool('seeing')"), Allow: []hostapi.Rule{{Tool: "seeing", Pattern: "x"}},
			Limits: runtime.Limits{Timeout: time.Minute},
		})
		if report.Outcome != runtime.OutcomeOK || len(seen) != 2 {
			t.Fatalf("%s, %v", report, seen)
		}
		for _, deadline := range seen {
			if deadline.Before(began.Add(time.Minute)) || deadline.After(time.Now().Add(time.Minute)) {
				t.Errorf("a deadline in %v", time.Until(deadline))
			}
		}
	})
}

type seeing struct{ see func(context.Context) }

func (s seeing) Name() string              { return "seeing" }
func (s seeing) CheckPattern(string) error { return nil }

func (s seeing) Plan(ctx context.Context, _ hostapi.Call) (hostapi.Plan, error) {
	s.see(ctx)
	return slowPlan{}, nil
}

func (s seeing) Invoke(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
	s.see(ctx)
	return hostapi.Succeed(""), nil
}

// TestDeadlineOfTheCaller: one that is nearer than the run's own ends it, and
// the report says whose it was.
func TestDeadlineOfTheCaller(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		runner := newRunner(t, options)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		program := compile(t, runner, "for (;;);")
		report := runner.Run(ctx, runtime.Request{Program: program})
		if report.Outcome != runtime.OutcomeTimeout || !strings.Contains(report.Failure.Message, "deadline of its caller") {
			t.Errorf("%s: %v", report, report.Failure)
		}
		report = runner.Run(t.Context(), runtime.Request{Program: program, Limits: runtime.Limits{Timeout: 100 * time.Millisecond}})
		if report.Outcome != runtime.OutcomeTimeout || !strings.Contains(report.Failure.Message, "limits.timeoutMs") || !errors.Is(report.Err(), context.DeadlineExceeded) {
			t.Errorf("%s: %v", report, report.Failure)
		}
	})
}

// TestCallsAreDecidedInTheirOrder: one that takes long to decide is decided
// before those that the script made later, which are counted after it.
func TestCallsAreDecidedInTheirOrder(t *testing.T) {
	bothCells(t, func(t *testing.T, options runtime.Options) {
		t.Helper()
		planning, decided := make(chan struct{}), make(chan struct{})
		options.Tools = []hostapi.Tool{
			deliberate{planning, decided},
			tool("quick", func(context.Context, hostapi.Call) (hostapi.Result, error) {
				select {
				case <-decided:
				default:
					t.Error("a later call was made before an earlier one was decided")
				}
				return hostapi.Succeed("quick"), nil
			}),
		}
		go func() {
			<-planning
			close(decided)
		}()
		runner := newRunner(t, options)
		report := runner.Run(t.Context(), runtime.Request{
			Program: compile(t, runner, `const all = await Promise.allSettled(["deliberate", "quick", "quick"].map((name) => ctx.tool(name)));
return all.map((one) => one.value?.output ?? one.reason.code)`),
			Allow: []hostapi.Rule{{Tool: "deliberate", Pattern: "x"}, {Tool: "quick"}}, Limits: runtime.Limits{MaxToolCalls: 2},
		})
		if string(report.Value) != `["deliberate","quick","over_limit"]` || report.Calls[2].Seq != 3 || report.Calls[2].Status != hostapi.StatusOverLimit {
			t.Errorf("%s: %s %+v", report, report.Value, report.Calls)
		}
	})
}

type deliberate struct{ planning, decided chan struct{} }

func (d deliberate) Name() string              { return "deliberate" }
func (d deliberate) CheckPattern(string) error { return nil }

func (d deliberate) Plan(context.Context, hostapi.Call) (hostapi.Plan, error) {
	close(d.planning)
	<-d.decided
	return slowPlan{}, nil
}

func (d deliberate) Invoke(context.Context, hostapi.Call) (hostapi.Result, error) {
	return hostapi.Succeed("deliberate"), nil
}
