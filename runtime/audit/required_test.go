package audit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/hosttest"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/audit"
)

var errFull = errors.New("no space left on device")

// TestWhatIsRequiredAndCannotBeWritten: whichever line it is, the run ends as cancelled and
// says why, without a value; where it is not required, somebody is told and the run goes on.
func TestWhatIsRequiredAndCannotBeWritten(t *testing.T) {
	t.Parallel()
	const twice, once = "await ctx.tool('t'); await ctx.tool('t'); return 'secret'", "ctx.tool('t', {waits: true}); throw new Error('over')"
	for name, c := range map[string]struct {
		event, body string
		calls       [2]int // at least and at most, where it is required
		panics      bool
	}{
		"the first line":    {audit.EventRunBegan, twice, [2]int{0, 0}, false},
		"a call":            {audit.EventCall, twice, [2]int{1, 1}, false},
		"a call at the end": {audit.EventCall, once, [2]int{0, 1}, false},
		"the last line":     {audit.EventRun, twice, [2]int{2, 2}, false},
		"a sink's bug":      {audit.EventCall, twice, [2]int{1, 1}, true},
	} {
		for _, require := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", require), func(t *testing.T) {
				t.Parallel()
				reason, began := errFull.Error(), false
				if c.panics {
					reason = "the sink panicked; this is a bug of it: " + reason
				}
				k := &kept{fail: func(e audit.Entry) error {
					switch {
					case began:
						return errors.New("the disk is gone") // the first reason is what is told
					case e.Event != c.event:
						return nil
					}
					if began = true; c.panics {
						panic(errFull)
					}
					return errFull
				}}
				var mu sync.Mutex
				var failed []error
				tool := &hosttest.Fake{ToolName: "t", Do: func(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
					if len(call.Args) > len("{}") {
						<-ctx.Done()
					}
					return hostapi.Succeed("x"), nil
				}}
				report := audited(t, audit.New(audit.Options{To: k.sink, Require: require, Failed: func(err error) {
					mu.Lock()
					defer mu.Unlock()
					failed = append(failed, err)
				}}), c.body, tool)
				if len(failed) == 0 || failed[0].Error() != reason || errors.Is(failed[0], errFull) == c.panics {
					t.Fatalf("told %v", failed)
				}
				if !require {
					if over := c.body == once; over != (report.Outcome == runtime.OutcomeScriptError) || !over && report.Outcome != runtime.OutcomeOK {
						t.Error(report)
					}
					return
				}
				says := "the run was cancelled: it cannot be recorded in the audit log, which is required: " + reason
				if report.Outcome != runtime.OutcomeCancelled || report.Value != nil || report.Text != "" || !strings.HasPrefix(report.Failure.Message, says) || !errors.Is(report.Err(), failed[0]) {
					t.Errorf("%s\n%+v", report, report.Failure)
				}
				if calls := len(tool.Calls()); calls < c.calls[0] || calls > c.calls[1] {
					t.Errorf("%d calls were made", calls)
				}
			})
		}
	}
}

// TestARefusedRunStaysRefused: also if that cannot be recorded.
func TestARefusedRunStaysRefused(t *testing.T) {
	t.Parallel()
	k := &kept{fail: func(audit.Entry) error { return errFull }}
	runner := auditor(t, audit.New(audit.Options{To: k.sink, Require: true}))
	defer runner.Close()
	report := runner.Run(t.Context(), runtime.Request{Refused: errors.New("no such file")})
	if report.Outcome != runtime.OutcomeInvalidInput || report.Failure.Message != "no such file" || len(k.entries) != 2 {
		t.Errorf("%s, %d lines", report, len(k.entries))
	}
}
