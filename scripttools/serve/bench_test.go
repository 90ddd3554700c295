package serve_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// BenchmarkCall is tools/call over two pipes, beside the same run without the
// protocol.
func BenchmarkCall(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "tools")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "add.js"), []byte(add), 0o600); err != nil {
		b.Fatal(err)
	}
	runner, err := runtime.New(runtime.Options{InProcess: true})
	if err != nil {
		b.Fatal(err)
	}
	defer runner.Close()
	catalog, err := scripttools.LoadDir(b.Context(), runner, dir)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			if report := catalog.Run(b.Context(), "add", scripttools.Inputs{"a": 1, "b": 2}); report.Err() != nil {
				b.Fatal(report)
			}
		}
	})
	b.Run("tools-call", func(b *testing.B) {
		server, err := serve.New(serve.Options{Runner: runner, Catalog: catalog})
		if err != nil {
			b.Fatal(err)
		}
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- server.Stdio(context.Background(), toServer, fromServer) }()
		client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
		session, err := client.Connect(b.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if result, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]int{"a": 1, "b": 2}}); err != nil || result.IsError {
				b.Fatal(err)
			}
		}
		_ = session.Close()
		server.Close()
		_ = fromServer.Close()
		<-served
	})
}
