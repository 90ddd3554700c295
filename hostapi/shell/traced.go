package shell

import (
	"context"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// traced is c with the place in a trace that its command belongs to, as programs look for
// it: TRACEPARENT and TRACESTATE. Where there is no trace, or a parent is set already, it
// is c.
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
