package shell

import (
	"context"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// traced is c with TRACEPARENT and TRACESTATE set from ctx. Without a trace, or where a
// parent is already set, it is c unchanged.
func (c ExecContext) traced(ctx context.Context) ExecContext {
	parent, state := tracecontext.Of(ctx)
	name := strings.ToUpper(tracecontext.Parent)
	if _, set := c.env[name]; set || parent == "" {
		return c
	}
	given := &settings{set: map[string]string{name: parent}, unset: []string{strings.ToUpper(tracecontext.State)}}
	if state != "" {
		given.set[strings.ToUpper(tracecontext.State)] = state
	}
	return c.with(given)
}
