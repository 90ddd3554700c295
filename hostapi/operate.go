package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
)

// errUsedUp is a result that the run may not get.
var errUsedUp = errors.New("the run's results are used up")

// wait is the result of an Ender. Where those before were larger than what the run may still
// get, none is made, and tooLarge is their size.
func (g *Gate) wait(ctx context.Context, s *started, tooLarge *atomic.Int64) (Result, error) {
	wanted := WithWaited(ctx, func() error {
		if err := Waited(ctx); err != nil {
			return err
		}
		if size := g.handles.least(s); !g.budget.has(size) {
			tooLarge.Store(size)
			return errUsedUp
		}
		return nil
	})
	return s.tool.wait(wanted, s.handle)
}

// await is the result of the work once it has ended, in a context of an operation.
// tooLarge is set as by wait.
func (g *Gate) await(ctx context.Context, s *started, tooLarge *atomic.Int64) (result Result, err error) {
	if s.later {
		result, err = g.wait(ctx, s, tooLarge)
	}
	select {
	case <-s.ended:
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	last := s.result
	switch {
	case !s.later:
		return last, Waited(ctx)
	case !last.empty() || last.Outcome != s.told: // of an Around, or an error
		return last, nil
	case tooLarge.Load() > 0:
		return g.budget.dropped(Result{Bytes: tooLarge.Load()}), nil
	case err != nil && s.freed.Load():
		return Result{}, &NotFoundError{Handle: s.call.Seq}
	}
	result.Outcome, result.Reason = last.Outcome, last.Reason
	return result, err
}

// AskedOperation is an operation that was asked for. It must be done, so that what was asked for
// later can be.
type AskedOperation struct {
	gate      *Gate
	started   *started
	operation string
	args      json.RawMessage
	done      func()
	err       error // nil if there is something to operate on
}

// AskOperation asks for something to be done with what the call of that number started. It does
// not wait. Asked for in the order of the script, what comes before a release gets its answer:
// that ends the work, and the handle is known until then.
func (g *Gate) AskOperation(handle int, operation string, args json.RawMessage) *AskedOperation {
	a := &AskedOperation{gate: g, operation: operation, args: args}
	a.started, a.done, a.err = g.handles.ask(handle, operation)
	return a
}

// Operate is [Gate.AskOperation] and [AskedOperation.Do] at once.
func (g *Gate) Operate(ctx context.Context, handle int, operation string, args json.RawMessage) (Result, error) {
	return g.AskOperation(handle, operation, args).Do(ctx)
}

// Do does something with what a call started. It does not count as a call, and
// is recorded on the row of that call. Its arguments and its result count towards
// [Quota.MaxTotalBytes]. The error is a *[NotFoundError], an *[ArgumentError], a
// *[QuotaError], a *[DeniedError] if a person said no, or that of ctx. Do may be called once.
func (a *AskedOperation) Do(ctx context.Context) (Result, error) {
	switch {
	case a.err != nil && a.operation == OperationRelease: // it was released before
		return Succeed(""), nil
	case a.err != nil:
		return Result{}, a.err
	}
	defer a.done()
	g, s, operation, args := a.gate, a.started, a.operation, a.args
	ctx, stop := join(ctx, g.life)
	defer stop()
	entry, open := g.inside.enter(s.call)
	if !open {
		return Result{}, context.Canceled
	}
	defer g.inside.leave(entry)
	asked := s.call
	asked.Operation, asked.Args = operation, args
	call := asked
	call.Plan, call.resolution, call.Output, call.ongoing = nil, nil, nil, nil
	row := g.ledger.addOperation(s.row, call)
	var tooLarge atomic.Int64
	result, err := g.surround(ctx, call, func(ctx context.Context) (Result, error) { return g.operate(ctx, s, asked, &tooLarge) })
	if err == nil || ctx.Err() == nil && !refusal(err) { // an Around failed
		if operation != OperationWait || s.later || len(g.config.Around) > 0 { // that was done when the work ended
			result = g.bounded(concluded(ctx, call, result.inTurn(ctx), err), PartAll)
		}
		if operation == OperationWait && s.later && tooLarge.Load() == 0 {
			g.handles.made(s, result.size())
		}
		result, err = g.pass(result), nil
	}
	g.ledger.endOperation(s.row, row, result, err)
	return result, err
}

func (g *Gate) operate(ctx context.Context, s *started, asked Call, tooLarge *atomic.Int64) (Result, error) {
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case asked.Operation == OperationRelease:
		return g.release(ctx, s), nil
	case asked.Operation == OperationWait:
		return g.await(ctx, s, tooLarge)
	}
	if len(asked.Args) > 0 && !json.Valid(asked.Args) {
		return Result{}, &ArgumentError{Tool: asked.Tool, Err: errors.New("not JSON; expected a JSON object")}
	}
	if over := g.budget.spend(int64(len(asked.Args)), true); over != nil {
		over.Tool = asked.Tool
		return Result{}, over
	}
	if err := g.approveWrite(ctx, s, asked); err != nil {
		return Result{}, err
	}
	result, err := s.tool.operate(ctx, s.handle, asked.Operation, asked.Args)
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		return Fail(err.Error()), nil
	case err != nil:
		return Result{}, &ArgumentError{Tool: asked.Tool, Err: err}
	}
	return result, nil
}

// release closes a handle, unless that was done before.
func (g *Gate) release(ctx context.Context, s *started) Result {
	quiet, known := g.handles.take(s.call.Seq)
	if !known {
		return Succeed("")
	}
	s.freed.Store(true)
	if s.later {
		s.stop()
		select {
		case <-quiet:
		case <-ctx.Done():
		}
	}
	if err := s.tool.closeHandle(s.handle); err != nil {
		return Fail(err.Error())
	}
	return Succeed("")
}
