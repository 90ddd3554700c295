package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
)

// maxDepth bounds how deep tools call tools.
const maxDepth = 16

// nested makes the call of a tool, on behalf of a call that is under way.
func (g *Gate) nested(parent Call) func(context.Context, string, json.RawMessage) (Result, error) {
	return func(ctx context.Context, tool string, args json.RawMessage) (Result, error) {
		call := Call{Tool: tool, Args: args, Site: parent.Site, Parent: parent.Seq, depth: parent.depth + 1}
		issued, err := g.Issue(ctx, call)
		if err != nil {
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
