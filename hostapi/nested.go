package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// maxDepth bounds how deep tools call tools.
const maxDepth = 16

// maxNestedRefusals bounds what a tool may ask for in vain: each time is a row of the
// ledger.
const maxNestedRefusals = 100

// nested makes the call of a tool, on behalf of a call that is under way.
func (g *Gate) nested(parent Call, over *atomic.Bool) func(context.Context, string, json.RawMessage) (Result, error) {
	var refused atomic.Int64
	return func(ctx context.Context, tool string, args json.RawMessage) (Result, error) {
		if over.Load() {
			return Result{}, fmt.Errorf("call %d has ended, and calls no more", parent.Seq)
		}
		ctx = context.WithValue(ctx, callKey{}, nil) // it is another one's
		call := Call{Tool: tool, Args: args, Site: parent.Site, Parent: parent.Seq, depth: parent.depth + 1}
		if refused.Load() >= maxNestedRefusals {
			return Result{}, &DeniedError{Call: call, Reason: fmt.Sprintf("tool %q is not called: %d calls of call %d were refused, and no more are taken", tool, maxNestedRefusals, parent.Seq)}
		}
		issued, err := g.Issue(ctx, call)
		if err != nil {
			refused.Add(1)
			return Result{}, err
		}
		return issued.do(ctx)
	}
}

// tooDeep is why a call of a tool's is not made; nil if it may be.
func tooDeep(call Call) error {
	if call.depth <= maxDepth {
		return nil
	}
	return &DeniedError{Call: call, Reason: fmt.Sprintf("tool %q is not called: tools call each other more than %d deep", call.Tool, maxDepth)}
}
