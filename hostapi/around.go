package hostapi

import (
	"context"
	"errors"
	"slices"
)

// Next does a call, or an operation, and returns what the script would get.
type Next = func(context.Context) (Result, error)

// Around wraps each call, and each operation on what a call started: for tracing,
// an audit, a record to replay. It must be safe for concurrent use.
//
// It can give next another context, call next again or not at all, or return
// something else. It cannot change the call: what was decided is what runs. For a
// background call, next returns when the work ends, and can be called once; the result of an
// [Ender] has no output then, and that of each wait has. An error fails the call, and so does
// a panic.
//
// Refused calls pass it too, with [Call.Refused] set: next returns that error and
// does nothing, and the call stays refused whatever Around returns. Calls cut off
// by the end of the run before they start do not pass; they are on the ledger.
type Around func(ctx context.Context, call Call, next Next) (Result, error)

// surround does a call, or an operation, inside all Arounds. The first in the list
// is the outermost.
func (g *Gate) surround(ctx context.Context, call Call, do Next) (Result, error) {
	if len(g.config.Around) == 0 {
		return do(ctx)
	}
	inner := func(ctx context.Context) (Result, error) {
		entry, open := g.inside.enter(call) // Around may have returned already
		if !open {
			return Result{}, context.Canceled
		}
		defer g.inside.leave(entry)
		ctx, stop := join(ctx, g.life) // Around may pass a context that the run does not end
		defer stop()
		result, err := do(ctx)
		if err != nil {
			return result, err
		}
		return g.bounded(concluded(ctx, call, result, nil), call.Part), nil
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

// methodAround is the method of a *[PanicError] that is not the tool's fault.
const methodAround = "Around"

// StatusOf is the status that the record of a call, or of an operation, gets. It is
// for an [Around]: ctx, result and err are those of next.
func StatusOf(ctx context.Context, call Call, result Result, err error) Status {
	switch {
	case call.Refused != nil:
		return refusalStatus(call.Refused)
	case err == nil:
		return resultStatus(result)
	case call.Operation != "" && refusal(err):
		return refusalStatus(err)
	case ctx.Err() != nil:
		return StatusCancelled
	}
	return StatusFailed
}

// refusal reports whether an operation was refused, rather than done and failed.
func refusal(err error) bool {
	var missing *NotFoundError
	return errors.As(err, &missing) || errors.Is(err, ErrOverLimit) || errors.Is(err, ErrInvalidArgs) || errors.Is(err, ErrDenied)
}
