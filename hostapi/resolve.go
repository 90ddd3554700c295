package hostapi

import (
	"context"
	"sync"
)

// resolution is what a call comes to, as far as somebody wanted to know.
type resolution struct {
	tool guarded

	mu   sync.Mutex
	done bool
	plan Plan
	err  error

	keep sync.Once
	kept any
}

// Resolve is what the tool's own [Scoper.Plan] makes of the call. It is made at
// most once, when the first policy wants it, and it is what runs then. A call that
// cannot be analysed is an *[OpaqueError], and one of a tool that plans nothing, or
// of no [Gate], an error.
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
		return nil, context.Cause(ctx) // another one may have the time
	}
	r.done, r.plan, r.err = true, plan, err
	return plan, err
}

// Keep is what read returns, the first time that it is asked for of this call: what a
// [Toucher] reads of a call serves every rule. Outside of a [Gate] it is made each time.
func (c Call) Keep(read func() any) any {
	r := c.resolution
	if r == nil {
		return read()
	}
	r.keep.Do(func() { r.kept = read() })
	return r.kept
}

// planned is the plan, if somebody wanted it and there is one.
func (r *resolution) planned() Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.plan
}
