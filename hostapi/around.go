package hostapi

import (
	"context"
	"errors"
	"slices"
)

// Around goes around each call, and around each operation on what a call has started:
// tracing, an audit, a record to replay from. It must be safe for concurrent use.
//
// next does the call and returns what the script would get. What was decided is what
// runs: Around can give next another context, do without it, call it again, or return
// something else, and cannot change the call. Of a call in the background next returns
// when the work has ended, and does it once. An error is a failed call, and so is a
// panic.
//
// Calls that are refused pass it too, with [Call.Refused] set: next returns that error
// and does nothing, and whatever Around returns, the call is refused. Of those that the
// end of the run overtakes before they are made, none does; the ledger has them.
type Around func(ctx context.Context, call Call, next func(context.Context) (Result, error)) (Result, error)

// surround does a call, or an operation, with everything that goes around it. The
// first of the list is the outermost.
func (g *Gate) surround(ctx context.Context, call Call, do func(context.Context) (Result, error)) (Result, error) {
	if len(g.config.Around) == 0 {
		return do(ctx)
	}
	inner := func(ctx context.Context) (Result, error) {
		entry, open := g.inside.enter(call) // Around may have left this behind
		if !open {
			return Result{}, context.Canceled
		}
		defer g.inside.leave(entry)
		ctx, stop := join(ctx, g.life) // whatever Around made of it
		defer stop()
		result, err := do(ctx)
		if err != nil {
			return result, err
		}
		return concluded(ctx, call, result, nil).cap(g.budget.quota.MaxOutputBytes), nil
	}
	for _, around := range slices.Backward(g.config.Around) {
		next := inner
		inner = func(ctx context.Context) (result Result, err error) {
			defer guarded{name: call.Tool}.caught(methodAround, &err)
			return around(ctx, call, next)
		}
	}
	return inner(ctx)
}

// methodAround is what a *[PanicError] names where the tool is not to blame.
const methodAround = "Around"

// StatusOf is how a call, or an operation, ended that an [Around] has let through, as its
// record has it: ctx, result and err are those of next.
func StatusOf(ctx context.Context, call Call, result Result, err error) Status {
	switch {
	case call.Refused != nil:
		return refusalStatus(call.Refused)
	case err == nil:
		return resultStatus(result)
	case errors.Is(err, ErrOverLimit):
		return StatusOverLimit
	case ctx.Err() != nil:
		return StatusCancelled
	}
	return StatusFailed
}

// refusal reports whether an error says why an operation was not done, rather than
// how it failed.
func refusal(err error) bool {
	var missing *NotFoundError
	return errors.As(err, &missing) || errors.Is(err, ErrOverLimit) || errors.Is(err, ErrInvalidArgs) || errors.Is(err, ErrDenied)
}
