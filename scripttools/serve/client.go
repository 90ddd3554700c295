package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// traced is a context in the trace that a client names in _meta.
func traced(ctx context.Context, meta mcp.Meta) context.Context {
	parent, _ := meta[tracecontext.Parent].(string)
	state, _ := meta[tracecontext.State].(string)
	return tracecontext.With(ctx, parent, state)
}

// maxClientName is how much of a client's name is kept, in bytes.
const maxClientName = 200

// clientName is what a client calls itself, and its version; empty where it does not say.
// Nothing proves it.
func clientName(request *mcp.CallToolRequest) string {
	began := request.Session.InitializeParams()
	if began == nil || began.ClientInfo == nil {
		return ""
	}
	name := began.ClientInfo.Name
	if version := began.ClientInfo.Version; version != "" {
		name += " " + version
	}
	return clip.Head(name, maxClientName)
}
