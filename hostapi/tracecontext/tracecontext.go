// Package tracecontext carries the place in a trace into a context and out of it, as the
// W3C's traceparent and tracestate: to commands, to MCP servers, and from MCP clients.
package tracecontext

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// The names, in the fields _meta of MCP; variables have them in capitals.
const (
	Parent = "traceparent"
	State  = "tracestate"
)

// maxState is how long a tracestate is that is passed on, in bytes: what the W3C asks for.
const maxState = 512

// With is a context whose parent is elsewhere. A parent that is malformed is none, and a
// state that is malformed or too long is left out: both come from outside.
func With(ctx context.Context, parent, state string) context.Context {
	if len(state) > maxState {
		state = ""
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{Parent: parent, State: state})
}

// Of is where a context is in a trace; parent is empty where there is none.
func Of(ctx context.Context) (parent, state string) {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	if len(carrier[State]) > maxState {
		delete(carrier, State)
	}
	return carrier[Parent], carrier[State]
}

// ID is the number of the trace that a context is in; empty where there is none.
func ID(ctx context.Context) string {
	if in := trace.SpanContextFromContext(ctx); in.HasTraceID() {
		return in.TraceID().String()
	}
	return ""
}
