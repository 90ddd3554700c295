package serve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestOutputIsProgress: a client with a progress token gets a command's output while it runs;
// one without does not.
func TestOutputIsProgress(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, `/*---
kind: script
name: build
description: Builds.
allowed_tools: [bash]
---*/
export default (ctx) => ctx.bash("printf 'compiling\\nhalf a \\033line'; while [ ! -e go ]; do sleep 0.01; done; rm go")
`)
	heard := make(chan *mcp.ProgressNotificationParams, 20)
	session := b.connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		heard <- r.Params
	}})
	params := &mcp.CallToolParams{Name: "build"}
	params.SetProgressToken("here")
	done := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), params)
		done <- err
	}()
	last := -1.0
	for p := range heard {
		if p.Progress <= last {
			t.Errorf("progress %v after %v", p.Progress, last)
		}
		last = p.Progress
		if p.Message == "call 1: bash: compiling\nhalf a \uFFFDline" {
			break
		}
	}
	b.write(t, "go", "")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p := <-heard; p.Message != "call 1: bash, ok" {
		t.Errorf("after it: %q", p.Message)
	}
	b.write(t, "go", "")
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "build"}); err != nil {
		t.Fatal(err)
	}
	select {
	case p := <-heard:
		t.Errorf("without a token: %q", p.Message)
	default:
	}
}

// TestFloodOfOutputIsBounded: of a command that writes without end, the client gets the latest
// output now and then, and there is room for the script's own messages.
func TestFloodOfOutputIsBounded(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, `/*---
kind: script
name: flood
description: Writes much.
allowed_tools: [bash]
limits: {timeoutMs: 240000}
---*/
export default async (ctx) => {
  await ctx.shell.run("yes | head -c 300000000");
  ctx.progress({ done: 1, total: 1, message: "that was it" });
  return 1;
}
`)
	told := make(chan string, 2000)
	session := b.connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	params := &mcp.CallToolParams{Name: "flood"}
	params.SetProgressToken("here")
	if result, err := session.CallTool(t.Context(), params); err != nil || result.IsError {
		t.Fatal(text(result), err)
	}
	size, output, own := 0, false, false
	for !output || !own {
		message := <-told
		output = output || strings.HasPrefix(message, "call 1: bash: … ")
		own = own || message == "that was it"
		if size += len(message); len(message) > 2<<10 || size > 256<<10 {
			t.Fatalf("one of %d bytes, %d together", len(message), size)
		}
	}
}

// TestProgressGoesOn: progress always increases, the script's own numbers come as it gave them,
// and no number exceeds its total.
func TestProgressGoesOn(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, `/*---
kind: script
name: steps
description: Says how far it has come.
allowed_tools: [bash]
---*/
export default async (ctx) => {
  for (let i = 0; i < 3; i++) await ctx.bash("true");
  ctx.progress({ done: 1, total: 4, message: "own 1 of 4" });
  await Promise.all([1, 2, 3, 4, 5, 6].map((i) => ctx.bash("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done")));
  ctx.progress({ done: 4, total: 4, message: "own 4 of 4" });
  await ctx.bash("echo more");
  ctx.progress({ done: 1e300, message: "own 1e+300 of 0" });
  await ctx.bash("echo more");
  ctx.progress({ done: 1.7976931348623157e308, message: "own 1.7976931348623157e+308 of 0" });
  return ctx.bash("echo more"); // there is no more than that
}
`)
	heard := make(chan *mcp.ProgressNotificationParams, 200)
	session := b.connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		heard <- r.Params
	}})
	params := &mcp.CallToolParams{Name: "steps"}
	params.SetProgressToken("here")
	if result, err := session.CallTool(t.Context(), params); err != nil || result.IsError {
		t.Fatal(text(result), err)
	}
	last, own := -1.0, 0 // it may begin at 0
	for own < 4 {
		p := <-heard
		if p.Progress <= last || p.Total != 0 && p.Progress > p.Total || own > 0 && own < 2 && p.Total != 4 {
			t.Errorf("%q: %v of %v, after %v", p.Message, p.Progress, p.Total, last)
		}
		last = p.Progress
		if strings.HasPrefix(p.Message, "own ") {
			own++
			if said := fmt.Sprintf("own %v of %v", p.Progress, p.Total); said != p.Message {
				t.Errorf("%q came as %q", p.Message, said)
			}
		}
	}
}
