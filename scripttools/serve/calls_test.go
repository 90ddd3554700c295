package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const long = `/*---
kind: script
name: long
description: Takes long, and says that it has begun.
limits: {timeoutMs: 60000}
---*/
export default (ctx) => { ctx.progress({ done: 1 }); return new Promise(() => { setTimeout(() => {}, 59000) }) }
`

// leftToLibrary concerns the library in the parameters of a call.
const leftToLibrary = `"io.modelcontextprotocol/other":1`

// TestCallsAreAnsweredAsByTheLibrary: a call that bypasses the library gets the same answer.
func TestCallsAreAnsweredAsByTheLibrary(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, add, sneak).raw(t, "2025-06-18")
	for _, params := range []string{
		`"name":"add","arguments":{"a":1,"b":2}`, ` "arguments" : {"a":1,"b":2} , "name" : "add" `,
		`"name":"add","arguments":{"a":1,"b":"<&>"}`, `"name":"add"`, `"name":"add","arguments":null`, `"name":"add","arguments":[]`,
		`"name":"add","arguments":{"a":1,"b":2},"arguments":{"a":5,"b":2}`, `"name":"add","name":"sneak"`,
		`"name":"\u0061dd","arguments":{"a":1,"b":2}`, `"Name":"add"`, `"\u006eame":"add","arguments":{"a":1,"b":2}`, `"name":""`, `"name":"nobody"`, `"arguments":{}`,
		`"name":"add","arguments":{"a":1,"b":2},"other":{"name":"sneak"}`, `"name":"add","arguments":{"a":1,"b":2},"requestState":"x"`,
		`"name":"add","arguments":{"a":"\ud800","b":2}`, `"name":"sneak"`, `"name":"sneak","arguments":{"x":[[["y"]]]}`,
	} {
		var answers [2]struct {
			Result map[string]any
			Error  *struct{ Code int }
		}
		for i, meta := range []string{`"x":1`, leftToLibrary} {
			client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{%s},%s}}`, meta, params))
			if err := json.Unmarshal([]byte(client.hear(`"id":1`)), &answers[i]); err != nil {
				t.Fatal(err)
			}
			if about, ok := answers[i].Result["_meta"].(map[string]any); ok { // each run has its name
				delete(about, "scriptrun/run")
				delete(about, "scriptrun/report")
			}
		}
		if diff := cmp.Diff(answers[1], answers[0]); diff != "" {
			t.Errorf("%s: %s", params, diff)
		}
	}
}

// TestProgressOfCallsOverStdio: a client that gave a token gets progress, and then the answer.
func TestProgressOfCallsOverStdio(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, talk).raw(t, "2025-06-18")
	for _, token := range []string{`7`, `"t"`} {
		client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":%s}}}`, token))
		for n := range 3 {
			client.hear("notifications/progress", `"progressToken":`+token, fmt.Sprintf("step %d", n+1))
		}
		client.hear(`"id":1,`, "done")
	}
	client.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":"` + strings.Repeat("t", 2000) + `"}}}`)
	client.hear(`"id":1,`, "-32602", "a progress token has at most")
}

// TestClientIsHeardWhileItsCallLasts: while the goroutine that reads runs a single call,
// another one reads.
func TestClientIsHeardWhileItsCallLasts(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{}, long, add).raw(t, "2025-06-18")
	for range 3 {
		client.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long"}}`)
		client.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		client.hear(`"id":2,"result"`)
		client.say(fmt.Sprintf(callAdd, "3"))
		client.hear(`"id":3,`, `"sum":3`)
		client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		client.hear(`"id":1,`, "cancelled")
	}
}

// TestWorkspaceIsClosedBehindItsCalls: a server that is closed waits for the calls of a client
// over stdio, whichever path runs them.
func TestWorkspaceIsClosedBehindItsCalls(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{`"x":1`, leftToLibrary} {
		begun, over := make(chan struct{}), make(chan struct{})
		workspace := func(context.Context, string) ([]hostapi.Tool, func(), error) {
			tool := &hostapi.Func{ToolName: "linger", Do: func(ctx context.Context, _ hostapi.Call) (hostapi.Result, error) {
				close(begun)
				<-ctx.Done()
				close(over)
				return hostapi.Succeed("ok"), nil
			}}
			return []hostapi.Tool{tool}, func() {
				select {
				case <-over:
				default:
					t.Errorf("%s: the workspace is closed while a tool is at work", meta)
				}
			}, nil
		}
		runner, err := runtime.New(runtime.Options{InProcess: true, Tools: []hostapi.Tool{&hostapi.Func{ToolName: "linger", Do: func(context.Context, hostapi.Call) (hostapi.Result, error) { return hostapi.Succeed("ok"), nil }}}})
		if err != nil {
			t.Fatal(err)
		}
		defer runner.Close()
		server, err := serve.New(serve.Options{Runner: runner, Workspace: workspace, Direct: []string{"linger"}})
		if err != nil {
			t.Fatal(err)
		}
		toServer, in := io.Pipe()
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Stdio(context.Background(), toServer, io.Discard) // it says that the server was closed
		}()
		for _, line := range []string{hello, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"linger","arguments":{},"_meta":{` + meta + `}}}`} {
			if _, err := io.WriteString(in, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		<-begun
		server.Close()
		<-served
		_ = in.Close()
	}
}

// TestQuestionsOfCallsOverStdio: missing inputs are asked for in the older versions of the
// protocol too.
func TestQuestionsOfCallsOverStdio(t *testing.T) {
	t.Parallel()
	client := offer(t, serve.Options{Ask: true}, add).raw(t, "")
	client.say(strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	client.hear(`"protocolVersion":"2025-06-18`)
	client.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for range 2 {
		client.say(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"add","arguments":{"a":2}}}`)
		var question struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(client.hear("elicitation/create", "add needs b")), &question); err != nil {
			t.Fatal(err)
		}
		client.say(`{"jsonrpc":"2.0","id":` + string(question.ID) + `,"result":{"action":"accept","content":{"b":40}}}`)
		client.hear(`"id":"c",`, `"sum":42`)
	}
}
