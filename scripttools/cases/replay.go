package cases

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
)

// firstMoment is when the clock of a case starts unless the case says it, and firstSeed its
// seed.
var firstMoment = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const firstSeed = 1

// options are those of every run of a case.
func (c *Case) options(o scripttools.RunOptions) scripttools.RunOptions {
	o.Now, o.Seed = cmp.Or(c.Now, firstMoment), cmp.Or(c.Seed, firstSeed)
	return o
}

// Replay runs a case with its recorded results. The tools must be [StandIns]; the spec must
// come from a load with the same runner. When ctx ends, so does the replay, which has failed.
func Replay(ctx context.Context, runner *runtime.Runner, tools *hostapi.Registry, spec *scripttools.ScriptToolSpec, c *Case) *Verdict {
	r := &replay{calls: make([]state, len(c.Calls)), assigned: map[int]int{}}
	for i, call := range c.Calls {
		r.calls[i] = state{Call: call, done: make([]bool, len(call.Operations))}
	}
	report := scripttools.RunSpec(ctx, runner, spec, c.Inputs, c.options(scripttools.RunOptions{
		Tools: tools, Policies: []hostapi.Policy{r}, Approver: r, Around: []hostapi.Around{r.around},
	}))
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.verdict(report, r)
}

// replay answers the calls of one run. It is a policy that allows everything: policies see the
// calls in the order in which the script made them, one at a time.
type replay struct {
	mu       sync.Mutex
	calls    []state
	assigned map[int]int // of calls by their number in the run, which in calls
	strange  []stranger
}

// state is a recorded call.
type state struct {
	*Call
	taken bool
	done  []bool // operations
}

// stranger is a call, or an operation, that was not recorded.
type stranger struct {
	call  hostapi.Call
	index int    // of the call in the record, for an operation; -1 else
	why   string // if it is another reason
}

// Decide implements [hostapi.Policy].
func (r *replay) Decide(_ context.Context, call hostapi.Call) (hostapi.Decision, error) {
	r.assign(call)
	return hostapi.Decision{Verdict: hostapi.VerdictAllow}, nil
}

// Approve implements [hostapi.Approver].
func (r *replay) Approve(_ context.Context, question hostapi.Question) (hostapi.Answer, error) {
	if recorded, ok := r.assign(question.Call); ok && recorded.Refused != "" {
		return hostapi.AnswerNo, nil
	}
	return hostapi.AnswerOnce, nil
}

// assign finds the record of a call, and keeps it for the call.
func (r *replay) assign(call hostapi.Call) (*Call, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.take(call)
}

// take is assign for those who hold the lock.
func (r *replay) take(call hostapi.Call) (*Call, bool) {
	if i, ok := r.assigned[call.Seq]; ok {
		return r.calls[i].Call, true
	}
	for i := range r.calls {
		recorded := &r.calls[i]
		if recorded.taken || recorded.Tool != call.Tool || recorded.Background != call.Background || len(compare("", object(recorded.Args), object(call.Args))) > 0 {
			continue
		}
		recorded.taken, r.assigned[call.Seq] = true, i
		return recorded.Call, true
	}
	return nil, false
}

// free gives back the record of a call that is refused before it needs one.
func (r *replay) free(call hostapi.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, ok := r.assigned[call.Seq]; ok && r.calls[i].Refused == "" {
		r.calls[i].taken = false
		delete(r.assigned, call.Seq)
	}
}

// object is an object of arguments.
func object(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

// around implements [hostapi.Around]. It lets nothing through but what the gate does by itself.
func (r *replay) around(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
	switch {
	case call.Operation != "":
		return r.operate(ctx, call, next)
	case call.Refused != nil:
		r.free(call)
		return next(ctx)
	}
	recorded, ok := r.assign(call)
	switch {
	case !ok:
		return r.unknown(call, -1, ""), nil
	case recorded.Refused != "":
		return r.unknown(call, -1, "a person was asked about it when it was recorded, and nobody is now"), nil
	case recorded.Background && recorded.count() == 0:
		return next(ctx)
	}
	if why := recorded.lacks(call.Part); why != "" {
		return r.unknown(call, -1, why), nil
	}
	return recorded.give(ctx, call)
}

// lacks is why an answer is not the part that the script takes.
func (a Answer) lacks(part hostapi.Part) string {
	result := a.Result
	if result == nil || result.result().Outcome == hostapi.OutcomeFailed || result.ExitCode != 0 || result.Output != "" || result.Text != nil {
		return ""
	}
	if (part == hostapi.PartText || part == hostapi.PartOutput) && result.Data != nil {
		return "the script takes its text now, and the record has only its data"
	}
	return ""
}

// operate answers an operation on a handle.
func (r *replay) operate(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
	release := call.Operation == hostapi.OperationRelease
	if release {
		_, _ = next(ctx) // the gate forgets the handle
	}
	r.mu.Lock()
	index, found := r.assigned[call.Seq], (*Operation)(nil)
	for i, o := range r.calls[index].Operations {
		if !r.calls[index].done[i] && o.Name == call.Operation && len(compare("", object(o.Args), object(call.Args))) == 0 {
			r.calls[index].done[i], found = true, o
			break
		}
	}
	r.mu.Unlock()
	if found == nil {
		return r.unknown(call, index, ""), nil
	}
	return found.give(ctx, call)
}

// unknown notes a call that was not recorded, and fails it.
func (r *replay) unknown(call hostapi.Call, index int, why string) hostapi.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strange = append(r.strange, stranger{call: call, index: index, why: why})
	result := hostapi.Fail("the case has no record of this call")
	result.Throws = true
	return result
}

// give is the answer as the gate takes it.
func (a Answer) give(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	switch {
	case a.Pending:
		<-ctx.Done()
		return hostapi.Result{}, context.Cause(ctx)
	case a.Refused != "":
		return hostapi.Result{}, &hostapi.ArgumentError{Tool: call.Tool, Err: errors.New(a.Refused)}
	}
	return a.Result.result(), nil
}

// result is the record as a tool would give it.
func (r *Result) result() hostapi.Result {
	out := hostapi.Result{
		Outcome: r.Outcome, Output: string(r.Output), Reason: r.Reason, ExitCode: r.ExitCode, Throws: r.Throws, Signal: r.Signal,
		Data: r.Data, Metadata: r.Metadata, Truncated: r.Truncated, Cut: r.Cut, Notes: slices.Clone(r.Notes),
	}
	if r.Text != nil {
		text := string(*r.Text)
		out.Text = &text
	}
	return out
}

// recordOf is the record of what a tool gave.
func recordOf(r hostapi.Result) *Result {
	out := &Result{
		Outcome: r.Outcome, Output: Text(r.Output), Reason: r.Reason, ExitCode: r.ExitCode, Throws: r.Throws, Signal: r.Signal,
		Data: r.Data, Metadata: r.Metadata, Truncated: r.Truncated, Cut: r.Cut, Notes: slices.Clone(r.Notes),
	}
	if out.Outcome == hostapi.OutcomeOK && r.ExitCode == 0 || out.Outcome == hostapi.OutcomeFailed && r.ExitCode != 0 {
		out.Outcome = "" // which the exit code says
	}
	if r.Text != nil {
		text := Text(*r.Text)
		out.Text = &text
	}
	return out
}

// nearest is the recorded call that differs least from a call, one that was not made if there
// is one; -1 if there is none of the tool.
func (r *replay) nearest(call hostapi.Call) (index int, how []Difference) {
	index = -1
	for _, taken := range []bool{false, true} {
		for i, recorded := range r.calls {
			if recorded.taken != taken || recorded.Tool != call.Tool {
				continue
			}
			differences := compare("args", object(recorded.Args), object(call.Args))
			if recorded.Background != call.Background {
				differences = append(differences, Difference{Path: "background", Got: fmt.Sprint(call.Background), Want: fmt.Sprint(recorded.Background)})
			}
			if index < 0 || len(differences) < len(how) {
				index, how = i, differences
			}
		}
		if index >= 0 {
			break
		}
	}
	return index, how
}
