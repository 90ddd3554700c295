package main

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// goServer is the argument with which this program is an MCP server itself.
const goServer = "go-server"

type addends struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type total struct {
	Sum float64 `json:"sum"`
}

// serveGo is the library that scriptrun serves with and a function: no script,
// no realm, no report. What it takes, every server on that library takes.
func serveGo(ctx context.Context) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "adds two numbers"},
		func(_ context.Context, _ *mcp.CallToolRequest, in addends) (*mcp.CallToolResult, total, error) {
			return nil, total{in.A + in.B}, nil
		})
	return server.Run(ctx, &mcp.StdioTransport{})
}

func goPeer() (peer, error) {
	self, err := os.Executable()
	return peer{"the official Go SDK and a function, which any server on it is above", []string{self, goServer}}, err
}
