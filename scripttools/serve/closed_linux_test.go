package serve_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestEndOfStdinIsNoticedBehindALine: the server notices that a client has closed its end even
// while one of its lines waits for a place and nothing more is read.
func TestEndOfStdinIsNoticedBehindALine(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, long)
	in, client, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	served := make(chan error, 1)
	go func() { served <- b.server.Stdio(context.Background(), in, io.Discard) }()
	lines := []string{hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`}
	for n := range 66 { // one has no place, and one is behind it
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"long"}}`, n+2))
	}
	if _, err := io.WriteString(client, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	_ = client.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
