package hostapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// Do waits for a free slot, invokes the tool, caps its result and records it. It
// returns an error only if ctx or the run ends; a tool that fails gives a Result. Do
// may be called once.
func (i *Issued) Do(ctx context.Context) (Result, error) {
	g := i.gate
	ctx, stop := join(ctx, g.life)
	defer stop()
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return Result{}, g.cancelled(i.row, context.Cause(ctx))
	}
	return i.do(ctx)
}

// do is [Issued.Do] without the wait for a slot.
func (i *Issued) do(ctx context.Context) (Result, error) {
	g := i.gate
	entry, open := g.inside.enter(i.call)
	if !open {
		return Result{}, g.cancelled(i.row, context.Canceled)
	}
	defer g.inside.leave(entry)
	ctx, stop := join(ctx, g.life)
	defer stop()
	if ctx.Err() != nil { // a slot was free as well, and select picks at random
		return Result{}, g.cancelled(i.row, context.Cause(ctx))
	}
	observe(g.config.Observer.CallStarted, i.call)
	call, end := i.equipped()
	defer end()
	result, err := g.surround(ctx, call, func(ctx context.Context) (Result, error) { return i.tool.invoke(ctx, call) })
	g.outlets.ended(i.call)
	return i.settle(g.pass(g.bounded(concluded(ctx, call, result.inTurn(ctx), err), call.Part)))
}

// permit decides on what a call leads to as on a call.
func (i *Issued) permit(ctx context.Context, args json.RawMessage) error {
	g, other := i.gate, i.call
	other.Args, other.Plan, other.resolution = args, nil, &resolution{tool: i.tool}
	d, _ := g.judge(ctx, other)
	switch d.Verdict { //exhaustive:enforce
	case VerdictAllow:
		return nil
	case VerdictAsk:
		return g.approve(ctx, other, d, preview(ctx, i.tool, other))
	case VerdictDeny:
	}
	return errors.New(d.Reason)
}

// bounded is what the script takes of a result, cut to the quota.
func (g *Gate) bounded(result Result, part Part) Result {
	return result.only(part).cap(g.budget.quota.MaxResultBytes)
}

// pass charges a result to the budget, and replaces one that does not fit.
func (g *Gate) pass(result Result) Result {
	if g.budget.spend(result.size(), false) == nil {
		return result
	}
	return g.budget.dropped(result)
}

// settle records how the call ended.
func (i *Issued) settle(result Result) (Result, error) {
	row, first := i.gate.ledger.settle(i.row, time.Now(), func(row *Record) {
		row.Status, row.Outcome = resultStatus(result), result.Outcome
		row.ExitCode, row.Signal = result.ExitCode, result.Signal
		row.OutputBytes, row.Truncated, row.Traffic = result.Bytes, result.Truncated, result.Traffic
		row.Cut, row.CutWithin = clip.Head(result.Cut, maxNote), result.CutWithin
		for _, note := range result.Notes[:min(len(result.Notes), maxNotes)] {
			row.Notes = append(row.Notes, clip.Head(note, maxNote))
		}
		if row.Status != StatusOK {
			row.Err, row.Code = recordedText(cmp.Or(result.Reason, result.Output)), CodeFailed
		}
		if row.Status == StatusCancelled {
			row.Code = CodeCancelled
		}
	})
	switch {
	case first:
		i.gate.ended(row)
	case result.Unheard != nil:
		result.Unheard()
	}
	if row.Status == StatusCancelled {
		return result, context.Canceled
	}
	return result, nil
}

// maxNotes and maxNote, in bytes, bound what a record keeps of a result's notes.
const maxNotes, maxNote = 16, 1 << 10

// observe tells an observer of an event. Its panics do not harm the run.
func observe[T any](tell func(T), event T) {
	if tell == nil {
		return
	}
	defer func() { _ = recover() }()
	tell(event)
}

// concluded is what a tool answered, made complete and valid.
func concluded(ctx context.Context, call Call, result Result, err error) Result {
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		result = Fail(err.Error()) // whatever else has ended
	case err != nil && ctx.Err() != nil:
		result = Result{Outcome: OutcomeCancelled, ExitCode: -1, Output: "cancelled: the run ended first"}
	case err != nil:
		result = Fail(err.Error())
	}
	for name, part := range map[string]json.RawMessage{"data": result.Data, "metadata": result.Metadata} {
		if len(part) > 0 && !json.Valid(part) {
			return Fail(fmt.Sprintf("tool %q answered with %s that is not JSON; this is a bug of the tool", call.Tool, name))
		}
	}
	if result.Outcome == "" {
		result.Outcome = OutcomeOK
		if result.ExitCode != 0 {
			result.Outcome = OutcomeFailed
		}
	}
	return result
}

// join is a context that ends when either of two does.
func join(ctx, other context.Context) (context.Context, context.CancelFunc) {
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return joined, func() { stop(); cancel(context.Canceled) }
}
