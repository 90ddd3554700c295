package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed node/package.json node/package-lock.json node/add.mjs node/server.mjs node/http.mjs
var nodeFiles embed.FS

// installed is where the programs are that are measured.
type installed struct {
	dir, node, scriptrun string
}

// install builds scriptrun, and gets what runs on Node from npm if it is measured.
func install(ctx context.Context, dir string, npm bool) (*installed, error) {
	in := &installed{dir: dir, node: filepath.Join(dir, "node"), scriptrun: filepath.Join(dir, "scriptrun")}
	if err := os.CopyFS(dir, nodeFiles); err != nil {
		return nil, err
	}
	needed := []*exec.Cmd{exec.CommandContext(ctx, "go", "-C", "..", "build", "-o", in.scriptrun, "./cmd/scriptrun")}
	if npm {
		needed = append(needed, exec.CommandContext(ctx, "npm", "ci", "--prefix", in.node, "--no-audit", "--no-fund", "--loglevel", "error"))
	}
	for _, c := range needed {
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", c.Args, err, out)
		}
	}
	return in, nil
}

// server is an MCP server on Node, with a client.
type server struct{ session *mcp.ClientSession }

func (in *installed) server(ctx context.Context) (*server, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.CommandContext(ctx, "node", filepath.Join(in.node, "server.mjs"))}, nil)
	if err != nil {
		return nil, err
	}
	return &server{session}, nil
}

func (s *server) call(ctx context.Context) error {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
	if err != nil {
		return err
	}
	if len(result.Content) == 0 {
		return fmt.Errorf("it answered nothing")
	}
	text, _ := result.Content[0].(*mcp.TextContent)
	return expect(text.Text)
}

// Close ends the server.
func (s *server) Close() error { return s.session.Close() }
