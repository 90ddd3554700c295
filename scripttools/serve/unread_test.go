package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestAnswerThatNobodyReadsKeepsNothing: over stdio, a write that nobody reads is abandoned:
// the server ends, and the session's workspace is closed, whichever path made the answer.
func TestAnswerThatNobodyReadsKeepsNothing(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{`"x":1`, leftToLibrary} {
		written, closed := make(chan struct{}), make(chan struct{})
		tool := &hostapi.Func{ToolName: "say", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed("much"), nil }}
		runner, err := runtime.New(runtime.Options{InProcess: true, Tools: []hostapi.Tool{tool}})
		if err != nil {
			t.Fatal(err)
		}
		server, err := serve.New(serve.Options{Runner: runner, Direct: []string{"say"}, Workspace: func(context.Context, string) ([]hostapi.Tool, func(), error) {
			return []hostapi.Tool{tool}, func() { close(closed) }, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		toServer, in := io.Pipe()
		out, fromServer := io.Pipe()
		ctx, end := context.WithCancel(t.Context())
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Stdio(ctx, toServer, &firstWrites{to: fromServer, most: 1, stuck: written}) // it says that the server was closed
		}()
		if _, err := io.WriteString(in, hello+"\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":{},"_meta":{%s}}}`+"\n", meta); err != nil {
			t.Fatal(err)
		}
		<-written
		end()
		<-served
		server.Close()
		<-closed
		_ = out.Close() // now the write ends
		_ = in.Close()
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	}
}

// firstWrites passes on so many writes, and reports the next one.
type firstWrites struct {
	to    io.Writer
	most  int
	stuck chan struct{}
}

func (f *firstWrites) Write(p []byte) (int, error) {
	if f.most--; f.most == -1 {
		close(f.stuck)
	}
	return f.to.Write(p)
}
