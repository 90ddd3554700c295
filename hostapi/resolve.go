package hostapi

import (
	"context"
	"sync"
)

// resolution is the plan of a call, made when it is first needed.
type resolution struct {
	tool guarded

	mu   sync.Mutex
	done bool
	plan Plan
	err  error

	keep sync.Once
	kept any
}

// Resolve is the tool's own [Scoper.Plan] of the call. The plan is made at most once,
// when a policy first needs it, and it is then what runs. The error is an
// *[OpaqueError] if the call cannot be analysed. Outside of a [Gate], and for tools that
// are not a [Scoper], there is no plan, but an error.
func (c Call) Resolve(ctx context.Context) (Plan, error) {
	r := c.resolution
	if r == nil {
		return nil, errNoPattern
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return r.plan, r.err
	}
	plan, err := r.tool.plan(ctx, c)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // the next policy may have more time
	}
	r.done, r.plan, r.err = true, plan, err
	return plan, err
}

// Keep calls read once for a call and returns the same value from then on, so that a
// [Toucher] does not parse a call again for every rule. Outside of a [Gate] it calls
// read each time.
func (c Call) Keep(read func() any) any {
	r := c.resolution
	if r == nil {
		return read()
	}
	r.keep.Do(func() { r.kept = read() })
	return r.kept
}

// planned is the plan, if one was made.
func (r *resolution) planned() Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan
}
