package serve

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
)

// traced puts ctx into the trace that a client names in _meta.
func traced(ctx context.Context, meta mcp.Meta) context.Context {
	parent, _ := meta[tracecontext.Parent].(string)
	state, _ := meta[tracecontext.State].(string)
	return tracecontext.With(ctx, parent, state)
}

// maxClientName is how much of a client's name is kept, in bytes.
const maxClientName = 200

// clientName is the name and version that a client gives itself; empty where it gives
// none. Nothing proves it.
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
