package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Asked is a call on the ledger that waits for its decision. [Asked.Decide] must be
// called once: later calls are decided after it.
type Asked struct {
	gate *Gate
	call Call
	row  int
	turn <-chan struct{} // closed once the call before it is decided; nil for the first
	next func()          // lets the call after it be decided
}

// Issued is a call that was allowed and charged, and can be made.
type Issued struct {
	gate *Gate
	call Call
	tool guarded
	row  int
}

// Ask puts a call on the ledger and numbers it, in the order of the script's requests.
// It does not call the tool, and never blocks. It is false once the gate is closed.
func (g *Gate) Ask(call Call) (*Asked, bool) {
	if len(call.Args) == 0 {
		call.Args = json.RawMessage("{}")
	}
	call.Run, call.MaxResultBytes = g.config.Run, g.budget.quota.MaxResultBytes
	g.asking.Lock()
	defer g.asking.Unlock()
	index, open := g.ledger.add(Record{
		Tool: call.Tool, Parent: call.Parent, Args: recordedArgs(call, maxRecordedArgs), Site: call.Site,
		Background: call.Background, Verdict: VerdictDeny, Started: time.Now(),
	})
	if !open {
		return nil, false
	}
	call.Seq = index + 1
	next := make(chan struct{})
	a := &Asked{gate: g, call: call, row: index, turn: g.turn, next: sync.OnceFunc(func() { close(next) })}
	g.turn = next
	return a, true
}

// Seq is the number of the call.
func (a *Asked) Seq() int { return a.call.Seq }

// Decide decides on a call, once those before it are decided. It takes as long as the
// tool needs to plan and a person to answer. A refusal is a *[DeniedError],
// *[ArgumentError] or *[QuotaError], and is on the ledger; nothing ran. Any other
// error means that ctx or the run ended.
func (a *Asked) Decide(ctx context.Context) (*Issued, error) {
	defer a.next()
	g := a.gate
	entry, open := g.inside.enter(a.call)
	if !open {
		return nil, g.cancelled(a.row, context.Canceled)
	}
	defer g.inside.leave(entry)
	ctx, stop := join(ctx, g.life)
	defer stop()
	if a.turn != nil {
		select {
		case <-a.turn:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return nil, g.cancelled(a.row, context.Cause(ctx))
	}
	tool, d, err := g.decide(ctx, &a.call)
	if ctx.Err() != nil {
		return nil, g.cancelled(a.row, context.Cause(ctx)) // the decision comes too late
	}
	granted := err == nil || errors.Is(err, ErrInvalidArgs)
	if granted {
		if over := g.budget.charge(a.call); over != nil {
			err = over
		}
	}
	if err == nil && a.call.Background {
		err = g.handles.reserve(a.call, g.budget.quota)
	}
	if granted {
		g.ledger.decided(a.row, d.Verdict, d.Rule)
	}
	if err == nil && d.Verdict == VerdictAsk {
		if err = g.approve(ctx, a.call, d, preview(ctx, tool, a.call)); err != nil && a.call.Background {
			g.handles.unreserve()
		}
		if err != nil && ctx.Err() != nil {
			return nil, g.cancelled(a.row, err)
		}
	}
	a.call.Decision = d
	if err != nil {
		return nil, a.refused(ctx, err)
	}
	return &Issued{gate: g, call: a.call, tool: tool, row: a.row}, nil
}

// refused records why a call is refused, and passes it through the Arounds.
func (a *Asked) refused(ctx context.Context, err error) error {
	g := a.gate
	row, first := g.ledger.settle(a.row, time.Now(), func(row *Record) {
		row.Status, row.Err, row.Code = refusalStatus(err), recordedText(err.Error()), CodeOf(err)
		var over *QuotaError
		if errors.As(err, &over) {
			row.Limit = over.Limit
		}
	})
	if first {
		g.ended(row)
	}
	a.next() // Arounds do not hold up the calls after it
	call := a.call
	if call.resolution != nil {
		call.Plan = call.resolution.planned()
	}
	if call.Refused = err; call.Decision.Verdict == "" {
		call.Decision.Verdict = VerdictDeny
	}
	_, _ = g.surround(ctx, call, func(context.Context) (Result, error) { return Result{}, err })
	return err
}

// Issue is [Gate.Ask] and [Asked.Decide] in one.
func (g *Gate) Issue(ctx context.Context, call Call) (*Issued, error) {
	asked, open := g.Ask(call)
	if !open {
		return nil, context.Canceled
	}
	return asked.Decide(ctx)
}

// Invoke is [Gate.Issue] and [Issued.Do] in one.
func (g *Gate) Invoke(ctx context.Context, call Call) (Result, error) {
	issued, err := g.Issue(ctx, call)
	if err != nil {
		return Result{}, err
	}
	return issued.Do(ctx)
}
