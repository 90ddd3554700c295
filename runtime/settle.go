package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// why says what ended a run, if it was not the realm.
type why string

const (
	whyTimeout   why = "timeout"
	whyCancelled why = "cancelled"
	whyMemory    why = "memory"
	whyStack     why = "stack" // the engine's own stack; too deep calls of a script are a throw
	whyRefusals  why = "refusals"
	whyProtocol  why = "protocol" // the realm broke the protocol
	whyDied      why = "died"     // its cell is gone
	whySource    why = "source"   // it is not a program
	whyQueue     why = "queue"    // too many runs wait for a cell
)

func (w why) external() bool { return w != "" }

// ending is how a run ended.
type ending struct {
	why      why
	cause    error
	doing    string // what the run was waiting for
	finished bool   // the realm ended by itself
	dead     bool   // the cell is gone
	returned *wire.Return
	value    []byte
	thrown   *wire.Throw
}

// clean reports whether the realm ended normally, so that its cell can be used again.
func (e ending) clean() bool {
	if e.dead || e.why == whyProtocol {
		return false
	}
	if e.thrown != nil {
		return e.thrown.Cause != wire.CausePanic && e.thrown.Cause != wire.CauseStack
	}
	return e.returned != nil || e.finished
}

// settle ends everything and completes the report.
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
		r.Usage.ToolCalls, r.Usage.ArgumentBytes = e.gate.Used()
		for _, c := range r.Calls {
			r.Usage.ResultBytes += c.OutputBytes
			for _, op := range c.Operations {
				r.Usage.ResultBytes += op.OutputBytes
			}
		}
	}
	if e.program != nil {
		r.Imported = e.program.Imported()
	}
	r.Isolation.Measures = e.measures()
	r.Logs, r.LogsTruncated = e.journal.entries()
	e.note(end)
	r.Usage.ToolWait, r.Usage.ApprovalWait = e.wait.read(), e.clock.held.read()
	if !end.why.external() && time.Now().After(e.clock.deadline().Add(endGrace)) {
		// The machine was too busy, and the caller may have given up.
		end = ending{why: whyTimeout, cause: errDeadline, doing: "; its value came in time, but ending it took too long"}
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

// measureGrace is how long a tool may take at least to say what it enforced: on a busy machine one
// that has ended in good order can be late by more than endGrace.
const measureGrace = 2 * time.Second

// measures asks the tools that were called what they enforced. It leaves a slow tool behind.
func (e *execution) measures() map[string][]hostapi.Measure {
	if len(e.report.Calls) == 0 {
		return nil
	}
	var measures map[string][]hostapi.Measure
	slow := map[string]bool{}
	patience := time.Now().Add(measureGrace)
	if patience.Before(e.patience) {
		patience = e.patience
	}
	ctx, stop := context.WithDeadline(context.Background(), patience)
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

func (e *execution) decide(end ending, judged verdict) {
	switch {
	case end.why == whySource:
		e.report.refuse(end.cause)
	case end.why == whyTimeout:
		text := fmt.Sprintf("the run did not end within %v; raise %s or do less", e.limits.Timeout, e.raise(limitTimeout))
		if !errors.Is(end.cause, errDeadline) {
			text = fmt.Sprintf("the run did not end before the deadline of its caller, after %v", time.Since(e.report.Started).Round(time.Millisecond))
		}
		e.fail(OutcomeTimeout, "TimeoutError", text+end.doing, end.cause)
		e.underWay(end)
	case end.why == whyCancelled:
		text := "the run was cancelled"
		if end.cause != nil && !errors.Is(end.cause, context.Canceled) {
			text += ": " + end.cause.Error()
		}
		e.fail(OutcomeCancelled, "CancelledError", text, end.cause)
		e.underWay(end)
	case end.why == whyMemory:
		e.report.Limit = LimitMemory
		e.fail(OutcomeLimit, "LimitError", fmt.Sprintf("exceeded %s=%d; raise %s or hold less at once", LimitMemory, e.limits.MaxMemoryBytes, e.raise(LimitMemory)), nil)
	case end.why == whyStack:
		e.report.Limit = LimitStack
		e.fail(OutcomeLimit, "LimitError", "exceeded the stack of the engine: something is nested too deeply", nil)
	case end.why == whyRefusals:
		e.report.Limit = LimitRefusals
		e.fail(OutcomeLimit, "LimitError", fmt.Sprintf("exceeded %s=%d: the script kept making calls that were refused", LimitRefusals, MaxRefusals), nil)
	case end.why == whyQueue:
		e.report.Limit = LimitWorkers
		e.fail(OutcomeLimit, "LimitError", end.cause.Error(), end.cause)
	case end.why == whyProtocol, end.why == whyDied:
		e.fail(OutcomeCrashed, "CrashError", end.cause.Error(), end.cause)
	case end.thrown != nil:
		e.threw(end.thrown)
	default:
		e.report.Outcome, e.report.Value, e.report.Text = judged.outcome, judged.value, judged.text
		if judged.whole != "" {
			e.keep(judged.whole)
		}
		if judged.outcome != OutcomeOK {
			e.fail(judged.outcome, "OutputError", judged.why, judged.cause)
			e.report.Failure.Violations = violationsOf(judged.cause)
		}
	}
}

// The bounds of an error on a report, in bytes and frames. A worker can send more.
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

// limitTimeout is the name of the run's time among its limits.
const limitTimeout = "timeoutMs"

// raise names the setting that raises a limit: that of the ceiling, if raising another would not
// help.
func (e *execution) raise(limit string) string {
	top := e.runner.options.Ceiling.Of(limit)
	lowered := top > 0 && top <= e.request.Limits.orDefault().Of(limit)
	switch from := e.runner.options.CeilingFrom; {
	case lowered && from == "":
		return "the host's ceiling"
	case lowered:
		return "limits." + limit + " in " + from
	case e.request.Raise == nil:
		return "limits." + limit
	}
	return e.request.Raise(limit)
}

// underWay adds what the end of the run interrupted.
func (e *execution) underWay(end ending) {
	if end.thrown != nil && end.thrown.Returned || end.returned != nil && len(end.returned.Unawaited) > 0 {
		e.report.Failure.Message += "; it had returned its value, but a call or a timeout that nobody awaited was not over"
	}
	for _, c := range e.report.Calls {
		if c.Status == hostapi.StatusCancelled {
			e.report.Failure.Message += fmt.Sprintf("; call %d, to tool %q, was under way", c.Seq, c.Tool)
			return
		}
	}
}

func violationsOf(err error) []schema.Violation {
	var broken *schema.Error
	if errors.As(err, &broken) {
		return broken.Violations
	}
	return nil
}

// threw turns a throw into an outcome. The engine says what kind of throw it is, and the
// gate's ledger says what became of a call: nothing that the script wrote decides.
func (e *execution) threw(t *wire.Throw) {
	if t.Cause == wire.CauseFailed { // its words are for whoever called it; the place is for nobody
		e.fail(OutcomeFailed, "", t.Message, nil)
		e.report.Failure.Pos, e.report.Failure.Data = Position{}, t.Data
		return
	}
	e.fail(OutcomeScriptError, t.Name, t.Message, nil)
	e.place(t)
	f := e.report.Failure
	switch t.Cause { //exhaustive:enforce
	case wire.CauseThrown:
		line := e.program.before(f.Pos)
		more := hint(f.Name, f.Message, line)
		if more == "" && t.Name == "TypeError" && !t.Returned && !strings.HasSuffix(f.Message, "is a promise; await it") { // which says it already
			more = cmp.Or(e.notAwaited(t.Unawaited), e.failedBefore(), noFunction(f.Name, f.Message, line))
		}
		if more != "" {
			f.Message += "; " + more
		}
		e.refused(t.Seq)
	case wire.CauseNotJSON:
		e.report.Outcome = OutcomeInvalidOutput
		f.Message = "the value is not JSON: " + f.Message
	case wire.CauseStack:
		e.report.Outcome, e.report.Limit = OutcomeLimit, LimitStack
	case wire.CausePanic:
		e.report.Outcome, f.Name = OutcomeCrashed, "CrashError"
		f.Message = "the engine failed: " + f.Message
	case wire.CauseInterrupted: // nobody stopped it
		e.report.Outcome, f.Name, f.Message = OutcomeCrashed, "CrashError", "the script stopped for no reason"
	case wire.CauseCompile, wire.CauseEntry, wire.CausePending, wire.CauseFailed:
	}
}

// failedBefore names the last call if it failed, and the script took its result as that of a
// success: ctx.tool resolves all the same.
func (e *execution) failedBefore() string {
	if n := len(e.report.Calls); n > 0 && e.report.Calls[n-1].Status == hostapi.StatusFailed {
		c := e.report.Calls[n-1]
		return fmt.Sprintf("call %d, to tool %q, had failed: %s", c.Seq, c.Tool, plain.Line(clip.Head(clip.Line(c.Err), 200)))
	}
	return ""
}

// refused takes code and outcome from the call whose ToolError ended the run.
func (e *execution) refused(seq int) {
	number := e.row(seq)
	if number < 1 || number > len(e.report.Calls) {
		return
	}
	row := e.report.Calls[number-1]
	e.report.Failure.Code = row.Code
	if row.Status == hostapi.StatusOK && row.Truncated {
		e.report.Failure.Code = hostapi.CodeTruncated
	}
	switch row.Status { //exhaustive:enforce
	case hostapi.StatusDenied:
		e.report.Outcome = OutcomeDenied
	case hostapi.StatusOverLimit:
		e.report.Outcome, e.report.Limit = OutcomeLimit, row.Limit
	case hostapi.StatusOK, hostapi.StatusFailed, hostapi.StatusCancelled, hostapi.StatusUnknown:
	}
}

// place adds the places of a throw in the author's file.
func (e *execution) place(t *wire.Throw) {
	f := e.report.Failure
	for _, p := range t.Stack[:min(len(t.Stack), maxFrames)] {
		f.Stack = append(f.Stack, StackFrame{Func: clip.Head(p.Func, maxFailureName), Pos: e.program.position(p.File, p.Line, p.Col)})
	}
	if len(f.Stack) > 0 {
		f.Pos = f.Stack[0].Pos
		f.Frame = e.program.Excerpt(f.Pos)
	}
}
