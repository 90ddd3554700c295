package cases

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// Record runs a case for real, and writes into it the calls, their results and how the run
// ended. Arguments, a value and an error that match what the case has already stay as they
// are, with their matchers. A case without a time gets that of now.
//
// The approver of options is asked where a policy asks a person; nil says no. Calls that policies
// refuse are not written: they are decided anew in a replay. A run that was cancelled or crashed
// changes nothing.
func Record(ctx context.Context, runner *runtime.Runner, spec *scripttools.ScriptToolSpec, c *Case, options scripttools.RunOptions) *runtime.Report {
	now := c.Now
	if now.IsZero() {
		now = time.Now().UTC().Truncate(time.Second)
	}
	r := &recorder{calls: map[int]*Call{}}
	options.Around = append(slices.Clip(options.Around), r.around)
	if options.Approver == nil {
		options.Approver = no{}
	}
	with := *c
	with.Now = now
	report := scripttools.RunSpec(ctx, runner, spec, c.Inputs, with.options(options))
	if report.Outcome == runtime.OutcomeCancelled || report.Outcome == runtime.OutcomeCrashed {
		return report
	}
	c.Now = now
	c.Calls = merged(c.Calls, r.recorded(report.Calls))
	c.expect(report)
	return report
}

// no answers every question where nobody can be asked, so that a replay ends in the same way.
type no struct{}

// Approve implements [hostapi.Approver].
func (no) Approve(context.Context, hostapi.Question) (hostapi.Answer, error) {
	return hostapi.AnswerNo, nil
}

// expect takes over how a run ended.
func (c *Case) expect(report *runtime.Report) {
	before := c.Expected
	c.Expected = Expected{Limit: report.Limit}
	if report.Outcome != runtime.OutcomeOK {
		c.Outcome = report.Outcome
	}
	if report.Value != nil {
		if c.Value = before.Value; before.Value == nil || len(compare("", before.Value, report.Value)) > 0 {
			c.Value = escaped(report.Value)
		}
	}
	if failure := errorOf(report); failure != nil {
		part, _ := encode(map[string]json.RawMessage{matchHas: before.Error})
		if c.Error = before.Error; before.Error == nil || len(compare("", part, failure)) > 0 {
			c.Error = escaped(failure)
		}
	}
}

// merged is what was recorded, with the arguments of calls that the case had before.
func merged(before, now []*Call) []*Call {
	for i, call := range now {
		call.Args = arguments(call.Args)
		for _, old := range before {
			if old.Tool == call.Tool && old.Background == call.Background && len(compare("", object(old.Args), object(call.Args))) == 0 {
				now[i].Args = old.Args
				break
			}
		}
		for _, o := range call.Operations {
			o.Args = arguments(o.Args)
		}
	}
	return now
}

// arguments are those of a call as they are written.
func arguments(args json.RawMessage) json.RawMessage {
	if string(args) == "{}" {
		return nil
	}
	return escaped(args)
}

// recorder keeps what a run calls.
type recorder struct {
	mu    sync.Mutex
	over  bool
	calls map[int]*Call // by their numbers in the run
}

// recorded are the calls in the order in which the script made them, with those of the ledger
// that the end of the run overtook. Later ends of calls change nothing.
func (r *recorder) recorded(ledger []hostapi.Record) []*Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for _, row := range ledger {
		call := r.calls[row.Seq]
		if call == nil && row.Parent == 0 && row.Status == hostapi.StatusCancelled {
			call = &Call{Tool: row.Tool, Args: row.Args, Background: row.Background, Answer: Answer{Pending: true}}
			r.calls[row.Seq] = call
		}
		for _, o := range row.Operations {
			if call != nil && o.Status == hostapi.StatusCancelled && !call.waits(o) {
				call.Operations = append(call.Operations, &Operation{Name: o.Name, Args: o.Args, Answer: Answer{Pending: true}})
			}
		}
	}
	var calls []*Call
	for _, seq := range slices.Sorted(maps.Keys(r.calls)) {
		calls = append(calls, r.calls[seq])
	}
	return calls
}

// waits reports whether an operation is among those under way.
func (c *Call) waits(o hostapi.Operation) bool {
	return slices.ContainsFunc(c.Operations, func(other *Operation) bool { return other.Pending && other.Name == o.Name })
}

// around implements [hostapi.Around].
func (r *recorder) around(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
	if call.Parent != 0 { // a replay has the answer of the call that makes it
		return next(ctx)
	}
	answer := r.begin(call)
	result, err := next(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return result, err
	}
	*answer = answerOf(ctx, call, result, err)
	switch {
	case call.Refused != nil && answer.Refused == "": // by a policy
		delete(r.calls, call.Seq)
	case call.Background && call.Operation == "" && call.Refused == nil && result.Outcome != hostapi.OutcomeNotStarted:
		*answer = Answer{} // the operations say what came of it
	}
	return result, err
}

// begin notes what is under way until it ends.
func (r *recorder) begin(call hostapi.Call) *Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	args := bytes.Clone(call.Args)
	if call.Operation == "" {
		row := &Call{Tool: call.Tool, Args: args, Background: call.Background, Answer: Answer{Pending: !call.Background}}
		r.calls[call.Seq] = row
		return &row.Answer
	}
	o := &Operation{Name: call.Operation, Args: args, Answer: Answer{Pending: true}}
	if row := r.calls[call.Seq]; row != nil {
		row.Operations = append(row.Operations, o)
	}
	return &o.Answer
}

// answerOf is what came back of a call.
func answerOf(ctx context.Context, call hostapi.Call, result hostapi.Result, err error) Answer {
	var wrong *hostapi.ArgumentError
	switch {
	case call.Refused != nil && call.Decision.Verdict == hostapi.VerdictAsk && errors.Is(call.Refused, hostapi.ErrDenied):
		return Answer{Refused: call.Refused.Error()}
	case call.Refused != nil:
		return Answer{}
	case errors.As(err, &wrong):
		return Answer{Refused: wrong.Err.Error()}
	case ctx.Err() != nil && (err != nil || result.Outcome == hostapi.OutcomeCancelled):
		return Answer{Pending: true}
	case err != nil && call.Operation != "":
		return Answer{Refused: cmp.Or(err.Error(), "refused")}
	case err != nil:
		return Answer{Result: recordOf(hostapi.Fail(err.Error()))}
	}
	return Answer{Result: recordOf(result)}
}
