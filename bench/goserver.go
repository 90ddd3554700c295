package main

import (
	"context"
	"encoding/json"
	"os"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// goServer is the argument with which this program is an MCP server itself.
const goServer = "go-server"

// serveGo is the library that scriptrun serves with, set up as scriptrun does,
// and a function: no script, no realm, no report, no check of arguments.
func serveGo(ctx context.Context) error {
	debug.SetGCPercent(400)
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	number := map[string]any{"type": "number"}
	server.AddTool(&mcp.Tool{
		Name: "add", Description: "adds two numbers",
		InputSchema:  map[string]any{"type": "object", "required": []string{"a", "b"}, "properties": map[string]any{"a": number, "b": number}},
		OutputSchema: map[string]any{"type": "object", "required": []string{"sum"}, "properties": map[string]any{"sum": number}},
	}, add)
	return server.Run(ctx, &mcp.StdioTransport{})
}

func add(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ A, B float64 }
	if err := json.Unmarshal(request.Params.Arguments, &in); err != nil {
		return nil, err
	}
	sum, err := json.Marshal(map[string]float64{"sum": in.A + in.B})
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(sum), Content: []mcp.Content{&mcp.TextContent{Text: string(sum)}}}, nil
}

func goPeer() (peer, error) {
	self, err := os.Executable()
	return peer{"the official Go SDK and a plain function", []string{self, goServer}}, err
}
