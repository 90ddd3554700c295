package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// why says what ended a run, where it was not the realm.
type why string

const (
	whyTimeout   why = "timeout"
	whyCancelled why = "cancelled"
	whyMemory    why = "memory"
	whyStack     why = "stack" // the engine's own; of scripts it is a throw
	whyRefusals  why = "refusals"
	whyProtocol  why = "protocol" // the realm does not speak as it must
	whyDied      why = "died"     // its cell is gone
	whySource    why = "source"   // it is no program
	whyQueue     why = "queue"    // too many wait for a cell
)

func (w why) external() bool { return w != "" }

// ending is what is known of how a run ended.
type ending struct {
	why      why
	cause    error
	doing    string // what the run was waiting for, if it had not begun
	finished bool   // the realm had ended by itself
	dead     bool   // the cell is gone
	returned *wire.Return
	value    []byte
	thrown   *wire.Throw
}

// clean reports whether the realm ended as it should, and its cell may be used
// again.
func (e ending) clean() bool {
	if e.dead || e.why == whyProtocol {
		return false
	}
	if e.thrown != nil {
		return e.thrown.Cause != wire.CausePanic && e.thrown.Cause != wire.CauseStack
	}
	return e.returned != nil || e.finished
}

// settle ends everything and writes the report.
func (e *execution) settle(end ending) *Report {
	r := e.report
	e.hurry()
	e.cancel(nil)
	var judged verdict
	if !end.why.external() && end.thrown == nil {
		judged, end = e.judged(end)
	}
	if e.gate != nil {
		r.Isolation.UnsettledTools = append(r.Isolation.UnsettledTools, e.gate.Close(time.Until(e.patience))...)
		e.runner.leaves(e.gate.Settled())
		r.Calls = e.gate.Records()
		r.Usage.ToolCalls, r.Usage.OutputBytes = e.gate.Used()
	}
	r.Isolation.Measures = e.measures()
	if end.returned != nil {
		e.warnUnawaited()
	}
	r.Logs, r.LogsTruncated = e.journal.entries()
	r.Usage.ToolWait, r.Usage.ApprovalWait = e.wait.read(), e.clock.held.read()
	if !end.why.external() && time.Now().After(e.clock.deadline().Add(endGrace)) {
		// The machine had no time for it: whoever waited has given up.
		end = ending{why: whyTimeout, cause: errDeadline, doing: "; its value came in time, and ending it took too long"}
	}
	e.decide(end, judged)
	r.Usage.Wall = time.Since(r.Started)
	switch {
	case r.Usage.CPU > 0: // the system knows
	case end.returned != nil:
		r.Usage.CPU = time.Duration(end.returned.RunNS)
	case end.thrown != nil:
		r.Usage.CPU = time.Duration(end.thrown.RunNS)
	case r.Isolation.Abandoned:
		r.Usage.CPU = max(r.Usage.Wall-r.Usage.ToolWait, 0)
	}
	return r
}

// measures asks the tools that were called what they enforced. One that panics,
// or thinks for long, is not heard.
func (e *execution) measures() map[string][]hostapi.Measure {
	if len(e.report.Calls) == 0 {
		return nil
	}
	var measures map[string][]hostapi.Measure
	slow := map[string]bool{}
	ctx, stop := context.WithDeadline(context.Background(), e.patience)
	defer stop()
	for _, c := range e.report.Calls {
		if _, asked := measures[c.Tool]; asked || slow[c.Tool] || !c.Invoked() || !e.registry.Confines(c.Tool) {
			continue
		}
		found, done := within(ctx, e.runner, func() []hostapi.Measure {
			m, err := e.registry.Measures(c.Tool)
			if err != nil {
				return []hostapi.Measure{{Name: "unknown", Gap: err.Error()}}
			}
			return m
		})
		if !done {
			slow[c.Tool] = true
			e.report.Isolation.UnsettledTools = append(e.report.Isolation.UnsettledTools, hostapi.Unsettled{Seq: c.Seq, Tool: c.Tool})
			continue
		}
		if measures == nil {
			measures = map[string][]hostapi.Measure{}
		}
		measures[c.Tool] = found
	}
	return measures
}

// warnUnawaited tells an author who forgot an await what became of the call.
func (e *execution) warnUnawaited() {
	for _, c := range e.report.Calls {
		if c.Status == hostapi.StatusCancelled {
			what := "was not awaited before run returned, and was cancelled"
			if c.Background {
				what = "was still running when run returned, and was ended; release it, or wait for it"
			}
			text := fmt.Sprintf("call %d, to tool %q at %s, %s", c.Seq, c.Tool, c.Site, what)
			e.journal.add(wire.Log{Level: "warn", Text: text, Bytes: int64(len(text))})
			return
		}
	}
}

func (e *execution) decide(end ending, judged verdict) {
	switch {
	case end.why == whySource:
		e.report.refuse(end.cause)
	case end.why == whyTimeout:
		text := fmt.Sprintf("the run did not end within %v; raise %s or do less", e.limits.Timeout, cmp.Or(e.request.MoreTime, "limits.timeoutMs"))
		if !errors.Is(end.cause, errDeadline) {
			text = fmt.Sprintf("the run did not end before the deadline of its caller, after %v", time.Since(e.report.Started).Round(time.Millisecond))
		}
		e.fail(OutcomeTimeout, "TimeoutError", text+end.doing, end.cause)
		e.underWay()
	case end.why == whyCancelled:
		text := "the run was cancelled"
		if end.cause != nil && !errors.Is(end.cause, context.Canceled) {
			text += ": " + end.cause.Error()
		}
		e.fail(OutcomeCancelled, "CancelledError", text, end.cause)
		e.underWay()
	case end.why == whyMemory:
		e.report.Limit = LimitMemory
		e.fail(OutcomeLimit, "LimitError", fmt.Sprintf("exceeded %s=%d", LimitMemory, e.limits.MaxMemoryBytes), nil)
	case end.why == whyStack:
		e.report.Limit = LimitStack
		e.fail(OutcomeLimit, "LimitError", "exceeded the stack of the engine: something is nested too deep", nil)
	case end.why == whyRefusals:
		e.report.Limit = LimitRefusals
		e.fail(OutcomeLimit, "LimitError", fmt.Sprintf("exceeded %s=%d: the script went on asking for calls that it is not given", LimitRefusals, MaxRefusals), nil)
	case end.why == whyQueue:
		e.report.Limit = LimitWorkers
		e.fail(OutcomeLimit, "LimitError", end.cause.Error(), end.cause)
	case end.why == whyProtocol, end.why == whyDied:
		e.fail(OutcomeCrashed, "CrashError", end.cause.Error(), end.cause)
	case end.thrown != nil:
		e.threw(end.thrown)
	default:
		e.report.Outcome, e.report.Value, e.report.Text = judged.outcome, judged.value, judged.text
		if judged.outcome != OutcomeOK {
			e.fail(judged.outcome, "OutputError", judged.why, judged.cause)
			e.report.Failure.Violations = violationsOf(judged.cause)
		}
	}
}

// What a report keeps of an error, in bytes and frames. A worker may send more.
const (
	maxFailureName = 200
	maxFailureText = 32 << 10
	maxFrames      = 32
)

func (e *execution) fail(outcome Outcome, name, message string, cause error) {
	e.report.Outcome, e.report.cause = outcome, cause
	name = clip.Head(name, maxFailureName)
	if cut := clip.Head(message, maxFailureText); cut != message {
		message = fmt.Sprintf("%s … (%d bytes)", cut, len(message))
	}
	e.report.Failure = &ScriptError{Name: name, Message: message, Pos: Position{File: e.program.name}}
}

// underWay tells which call the end cut short, if it was one.
func (e *execution) underWay() {
	for _, c := range e.report.Calls {
		if c.Status == hostapi.StatusCancelled {
			e.report.Failure.Message += fmt.Sprintf("; call %d, to tool %q, was under way", c.Seq, c.Tool)
			return
		}
	}
}

// verdict is what a value that came back is worth.
type verdict struct {
	outcome Outcome
	value   json.RawMessage
	text    string
	why     string
	cause   error
}

// inPlace is the largest value that is looked at on the run's own goroutine, if
// it has no schema, or one of which the check takes no time to speak of. Waking
// another one takes a tenth of a short run.
const inPlace = 64 << 10

// judged is what the value is worth, as far as that is known in what is left of
// the run's time.
func (e *execution) judged(end ending) (v verdict, _ ending) {
	if len(end.value) <= inPlace {
		if v, done := e.judge(end, e.request.Output.ValidateQuickly); done {
			return v, end
		}
	}
	// It may go on when the run has ended: end is not written to from here on.
	v, done := within(e.clock, e.runner, func() verdict {
		v, _ := e.judge(end, func(value json.RawMessage) (bool, error) { return true, e.request.Output.Validate(value) })
		return v
	})
	if done && time.Now().Before(e.clock.deadline()) {
		return v, end
	}
	late := e.stopped(e.clock)
	late.doing = "; its value was being checked"
	return v, late
}

// judge looks at the value, and is done if the check of it is. It takes as long as the
// value is large, and the check.
func (e *execution) judge(end ending, check func(json.RawMessage) (done bool, err error)) (v verdict, done bool) {
	value := end.value
	size, limit := max(end.returned.TooLarge, int64(len(value))), e.limits.MaxOutputBytes
	switch {
	case size > limit:
		return verdict{outcome: OutcomeInvalidOutput, why: fmt.Sprintf("the value is %d bytes of JSON; %s=%d; return less, or raise the limit", size, hostapi.LimitOutputBytes, limit)}, true
	case !json.Valid(value) || !utf8.Valid(value):
		return verdict{outcome: OutcomeInvalidOutput, why: "the value is not JSON"}, true
	}
	if e.request.Output != nil {
		if done, err := check(value); !done || err != nil {
			return verdict{outcome: OutcomeInvalidOutput, why: fmt.Sprintf("the value breaks output_schema: %v", err), cause: err}, done
		}
	}
	return verdict{outcome: OutcomeOK, value: value, text: textOf(value)}, true
}

// textOf is a value as a person reads it. The value is as JSON.stringify writes
// it, without white space.
func textOf(value json.RawMessage) string {
	var text string
	if value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(plain.Value(value))
}

func violationsOf(err error) []schema.Violation {
	var broken *schema.Error
	if errors.As(err, &broken) {
		return broken.Violations
	}
	return nil
}

// threw turns a throw into an outcome. The engine says what kind it is, and
// the gate's own ledger says what became of a call; nothing the script wrote
// decides.
func (e *execution) threw(t *wire.Throw) {
	e.fail(OutcomeScriptError, t.Name, t.Message, nil)
	e.place(t)
	f := e.report.Failure
	switch t.Cause { //exhaustive:enforce
	case wire.CauseThrown:
		e.refused(t.Seq)
	case wire.CauseNotJSON:
		e.report.Outcome = OutcomeInvalidOutput
		f.Message = "the value is not JSON: " + f.Message
	case wire.CauseStack:
		e.report.Outcome, e.report.Limit = OutcomeLimit, LimitStack
	case wire.CausePanic:
		e.report.Outcome, f.Name = OutcomeCrashed, "CrashError"
		f.Message = "the engine failed: " + f.Message
	case wire.CauseInterrupted: // nobody asked for it
		e.report.Outcome, f.Name, f.Message = OutcomeCrashed, "CrashError", "the script stopped for no reason"
	case wire.CauseCompile, wire.CauseEntry, wire.CausePending:
	}
}

// refused looks up the call whose ToolError ended the run.
func (e *execution) refused(seq int) {
	number := e.row(seq)
	if number < 1 || number > len(e.report.Calls) {
		return
	}
	row := e.report.Calls[number-1]
	e.report.Failure.Code = row.Code
	switch row.Status { //exhaustive:enforce
	case hostapi.StatusDenied:
		e.report.Outcome = OutcomeDenied
	case hostapi.StatusOverLimit:
		e.report.Outcome, e.report.Limit = OutcomeLimit, row.Limit
	case hostapi.StatusOK, hostapi.StatusFailed, hostapi.StatusCancelled, hostapi.StatusUnknown:
	}
}

// place puts a throw into the author's file.
func (e *execution) place(t *wire.Throw) {
	f := e.report.Failure
	for _, p := range t.Stack[:min(len(t.Stack), maxFrames)] {
		f.Stack = append(f.Stack, StackFrame{Func: clip.Head(p.Func, maxFailureName), Pos: e.program.position(p.Line, p.Col)})
	}
	if len(f.Stack) > 0 {
		f.Pos = f.Stack[0].Pos
		f.Frame = plain.Excerpt(e.program.line(f.Pos.Line), f.Pos.Line, f.Pos.Col)
	}
}
