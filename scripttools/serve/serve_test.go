package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/serve"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	runtime.WorkerMain()
	goleak.VerifyTestMain(m)
}

// bench is a server with its tools directory.
type bench struct {
	dir    string
	runner *runtime.Runner
	server *serve.Server
}

const (
	add = `/*---
kind: script
name: add
description: Adds two numbers.
input_schema:
  type: object
  required: [a, b]
  properties:
    a: {type: number, description: the first}
    b: {type: number}
  additionalProperties: false
output_schema:
  type: object
  required: [sum]
  properties: {sum: {type: number}}
---*/
export default (ctx, { a, b }) => ({ sum: a + b })
`
	talk = `/*---
kind: script
name: talk
description: Says how far it is.
---*/
export default async (ctx) => {
  console.log("hello")
  console.warn("careful")
  for (let i = 1; i <= 3; i++) ctx.progress({ done: i, total: 3, message: "step " + i })
  return "done"
}
`
	wait = `/*---
kind: script
name: wait
description: Waits for a command that waits.
allowed_tools: [bash]
---*/
export default async (ctx) => (await ctx.tool("bash", { command: "echo on > pid; sh -c 'sleep 1000; :' \"$PWD\"" })).output
`
	sneak = `/*---
kind: script
name: sneak
description: Reads what it may not.
allowed_tools: ["read(public/**)"]
---*/
export default async (ctx) => (await ctx.tool("read", { file_path: "secret.txt" })).text
`
)

func offer(t *testing.T, options serve.Options, tools ...string) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	b.write(t, "tools/.keep", "")
	for i, tool := range tools {
		b.write(t, fmt.Sprintf("tools/t%d.js", i), tool)
	}
	workspace, err := files.Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	commands := &shell.Tool{Dir: b.dir, SpillDir: options.SpillDir}
	if b.runner, err = runtime.New(runtime.Options{
		InProcess: true, SpillDir: options.SpillDir, Tools: append(workspace.Tools(), commands),
		Policies: []hostapi.Policy{hostapi.Rules{Ask: []hostapi.Rule{{Tool: "write", Pattern: "asked/**", From: "config.toml:1:1"}}}},
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.runner.Close(); err != nil {
			t.Error(err)
		}
		if err := workspace.Close(); err != nil {
			t.Error(err)
		}
	})
	options.Runner = b.runner
	if options.Catalog, err = scripttools.LoadDir(t.Context(), b.runner, filepath.Join(b.dir, "tools")); err != nil {
		t.Fatal(err)
	}
	if b.server, err = serve.New(options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.server.Close)
	return b
}

func (b *bench) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// connect is a client over two pipes.
func (b *bench) connect(t *testing.T, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { served <- b.server.Stdio(ctx, toServer, fromServer) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		_ = fromServer.Close()
		_ = toServer.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return session
}

func call(t *testing.T, session *mcp.ClientSession, name string, arguments any) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func text(result *mcp.CallToolResult) string {
	if len(result.Content) == 0 {
		return ""
	}
	content, _ := result.Content[0].(*mcp.TextContent)
	return content.Text
}

func TestListedTools(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{}, add, wait, sneak).connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		byName[tool.Name] = tool
	}
	if len(byName) != 3 {
		t.Fatalf("%d tools", len(byName))
	}
	schema, err := json.Marshal(byName["add"].InputSchema)
	if err != nil || !strings.Contains(string(schema), `"description":"the first"`) || byName["add"].OutputSchema == nil || byName["add"].Description != "Adds two numbers." {
		t.Errorf("%s, %+v, %v", schema, byName["add"], err)
	}
	for name, want := range map[string]string{
		"add":   `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true}`,
		"sneak": `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true}`,
		"wait":  `{"destructiveHint":true,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`,
	} {
		if got, err := json.Marshal(byName[name].Annotations); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add, sneak)
	b.write(t, "secret.txt", "xyzzy")
	session := b.connect(t, nil)
	good := call(t, session, "add", map[string]any{"a": 1, "b": 2})
	if structured, err := json.Marshal(good.StructuredContent); err != nil || good.IsError || string(structured) != `{"sum":3}` || !strings.Contains(text(good), `{"sum":3}`) {
		t.Errorf("%+v, %s, %v", good, structured, err)
	}
	for _, c := range []struct {
		tool      string
		arguments any
		want      []string
	}{
		{"add", map[string]any{"a": "one"}, []string{"invalid_input", "/a", "'b'", "What to do: correct the arguments"}},
		{"add", map[string]any{"a": 1, "b": 2, "c": 3}, []string{"invalid_input", "c"}},
		{"add", nil, []string{"invalid_input", "a", "b"}},
		{"sneak", nil, []string{"denied", "not allowed: read", "secret.txt", "read(public/**)", "t1.js:7:"}},
	} {
		bad := call(t, session, c.tool, c.arguments)
		if !bad.IsError || bad.StructuredContent != nil || strings.Contains(text(bad), "xyzzy") {
			t.Errorf("%s: %+v", c.tool, bad)
		}
		for _, want := range c.want {
			if !strings.Contains(text(bad), want) {
				t.Errorf("%s(%v): %q does not say %q", c.tool, c.arguments, text(bad), want)
			}
		}
		receipt, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: bad.Meta["scriptrun/report"].(string)})
		if err != nil || !strings.Contains(receipt.Contents[0].Text, fmt.Sprintf(`"outcome":%q`, bad.Meta["scriptrun/outcome"])) {
			t.Errorf("%+v, %v", receipt, err)
		}
	}
	for name, want := range map[string]string{"nobody": `unknown tool "nobody"`, "ad": `unknown tool "ad"; did you mean "add"?`} {
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("a tool that there is not: %v, want %s", err, want)
		}
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scriptrun://runs/AAAA"}); err == nil {
		t.Error("a receipt was read that is not there")
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 20)
	progressed := make(chan float64, 20)
	session := offer(t, serve.Options{}, talk).connect(t, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progressed <- r.Params.Progress
			heard <- r.Params.Message
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { //nolint:staticcheck // as long as clients ask for it
			heard <- fmt.Sprintf("%s %v", r.Params.Level, r.Params.Data)
		},
	})
	params := &mcp.CallToolParams{Name: "talk", Meta: mcp.Meta{mcp.MetaKeyLogLevel: "info"}} //nolint:staticcheck // as above
	params.SetProgressToken("here")
	if result, err := session.CallTool(t.Context(), params); err != nil || text(result) != "done" {
		t.Fatal(text(result), err)
	}
	for _, want := range []string{"info hello", "warning careful", "step 1", "step 2", "step 3"} {
		if got := <-heard; got != want {
			t.Errorf("%q came in place of %q", got, want)
		}
	}
	for want := 1.0; want <= 3; want++ {
		if got := <-progressed; got != want {
			t.Errorf("progress was %v, not %v", got, want)
		}
	}
}

// TestNotificationsAreCounted: a client gets every notification, or the number of those that it
// did not get.
func TestNotificationsAreCounted(t *testing.T) {
	t.Parallel()
	const all = 20_000
	heard := make(chan string, all+1)
	session := offer(t, serve.Options{}, `/*---
kind: script
name: chatter
description: Says much.
---*/
export default () => { for (let i = 0; i < 20000; i++) console.log("x"); return 1 }
`).connect(t, &mcp.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { //nolint:staticcheck // as long as clients ask for it
			heard <- fmt.Sprint(r.Params.Data)
		},
	})
	params := &mcp.CallToolParams{Name: "chatter", Meta: mcp.Meta{mcp.MetaKeyLogLevel: "info"}} //nolint:staticcheck // as above
	if result, err := session.CallTool(t.Context(), params); err != nil || result.IsError {
		t.Fatal(text(result), err)
	}
	for left := all; left > 0; {
		var dropped int
		switch said := <-heard; {
		case said == "x":
			left--
		case !strings.Contains(said, "notifications were dropped"):
			t.Fatalf("it said %q", said)
		default:
			if _, err := fmt.Sscanf(said, "%d", &dropped); err != nil || dropped < 1 || dropped > left {
				t.Fatalf("%q when %d were left: %v", said, left, err)
			}
			left -= dropped
		}
	}
}

// TestCancel: a client that gives up ends the run and its processes.
func TestCancel(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, wait)
	var once sync.Once
	begun := make(chan struct{})
	session := b.connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
		once.Do(func() { close(begun) })
	}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "wait"}
		params.SetProgressToken(1)
		_, err := session.CallTool(ctx, params)
		done <- err
	}()
	<-begun
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	var pid string
	for !strings.HasSuffix(pid, "\n") { // its command is there
		select {
		case err := <-done:
			t.Fatal("it ended too early", err)
		case <-look.C:
		}
		if text, err := os.ReadFile(filepath.Join(b.dir, "pid")); err == nil {
			pid = string(text)
		}
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("it ended well")
	}
	if err := b.runner.Shutdown(t.Context()); err != nil { // returns when the run has ended, and its command with it
		t.Error(err)
	}
	// Its number is that of a space of its own; its words are there for everybody.
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		if words, err := os.ReadFile(command); err == nil && strings.Contains(string(words), b.dir) {
			t.Errorf("a process is left: %q", words)
		}
	}
}

func TestElicitation(t *testing.T) {
	t.Parallel()
	says := map[string]string{"decline": "a person was asked and declined to say it; correct the arguments, and call it again with b", "cancel": "closed without an answer"}
	for action, want := range map[string]string{"accept": `{"sum":42}`, "decline": "null", "cancel": "null"} {
		var asked *mcp.ElicitParams
		session := offer(t, serve.Options{Ask: true}, add).connect(t, &mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked = r.Params
				return &mcp.ElicitResult{Action: action, Content: map[string]any{"b": 40}}, nil
			},
		})
		result := call(t, session, "add", map[string]any{"a": 2})
		if got, err := json.Marshal(result.StructuredContent); err != nil || string(got) != want || result.IsError != (action != "accept") || !strings.Contains(text(result), says[action]) {
			t.Errorf("%s: %s, %s, %v", action, got, text(result), err)
		}
		if asked == nil || !strings.Contains(asked.Message, "add needs b") {
			t.Errorf("it asked %+v", asked)
		}
	}
}

// TestUpdate: clients learn of a new catalog, which is in force at once.
func TestUpdate(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	changed := make(chan struct{}, 10)
	session := b.connect(t, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	names := func() (names []string) {
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	dir := scripttools.Dir{Path: filepath.Join(b.dir, "tools")}
	before, err := scripttools.Load(t.Context(), b.runner, dir)
	if err != nil {
		t.Fatal(err)
	}
	b.write(t, "tools/t0.js", "not JavaScript, and no header")
	b.write(t, "tools/t1.js", strings.Replace(add, "kind: script", "kind: scripture", 1))
	b.write(t, "tools/t2.js", talk)
	b.write(t, "tools/t0.js", strings.Replace(add, "a + b", "a +", 1))
	after, err := scripttools.Reload(t.Context(), b.runner, dir, before)
	if err == nil || !strings.Contains(err.Error(), "t0.js") || !strings.Contains(err.Error(), "t1.js") {
		t.Errorf("the broken files: %v", err)
	}
	b.server.Update(after)
	<-changed
	if got := names(); !slices.Equal(got, []string{"add", "talk"}) {
		t.Errorf("%q", got)
	}
	if result := call(t, session, "add", map[string]any{"a": 1, "b": 1}); result.IsError {
		t.Errorf("the last good version does not run: %s", text(result))
	}
	b.server.Update(nil)
	<-changed
	if got := names(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestEval(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{Eval: &serve.Eval{Allow: []hostapi.Rule{{Tool: "read"}, {Tool: "bash", Pattern: "echo *"}}}})
	b.write(t, "a.txt", "one\n")
	session := b.connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 {
		t.Fatal(list, err)
	}
	for _, want := range []string{`ctx.tool("read", {path: string`, `only bash(echo *)`, "command?: string"} {
		if !strings.Contains(list.Tools[0].Description, want) {
			t.Errorf("%q does not say %q", list.Tools[0].Description, want)
		}
	}
	for code, want := range map[string]string{
		`return (await ctx.tool("read", {file_path: "a.txt"})).text.trim() + inputs.n`: "one2",
		`return (await ctx.tool("bash", {command: "echo hi"})).output.trim()`:          "hi",
		`return await ctx.tool("bash", {command: "rm a.txt"})`:                         "denied",
		`return await ctx.tool("write", {file_path: "b", content: ""})`:                "denied",
		`return 1 +`: "script_error",
		``:           "code is missing",
	} {
		result := call(t, session, "eval", map[string]any{"code": code, "inputs": map[string]any{"n": 2}})
		if !strings.HasPrefix(strings.TrimPrefix(text(result), "invalid_input: "), want) {
			t.Errorf("%s: %s", code, text(result))
		}
		for outcome, advice := range map[string]string{
			"denied":       "What to do: the code may call",
			"script_error": "What to do: correct the code and call it again.",
		} {
			if want == outcome && !strings.Contains(text(result), advice) {
				t.Errorf("%s: %s; expected %s", code, text(result), advice)
			}
		}
	}
	schema, err := json.Marshal(list.Tools[0].InputSchema)
	if err != nil || !strings.Contains(string(schema), `"required":["code"]`) {
		t.Errorf("code is not required: %s, %v", schema, err)
	}
}

// TestSpilledOutput: the whole of a cut output can be fetched, and nothing else.
func TestSpilledOutput(t *testing.T) {
	t.Parallel()
	spill := t.TempDir()
	session := offer(t, serve.Options{SpillDir: spill}, `/*---
kind: script
name: much
description: Prints much.
allowed_tools: [bash]
limits: {maxOutputBytes: 65536}
---*/
export default async (ctx) => (await ctx.tool("bash", { command: "i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done" })).truncated
`).connect(t, nil)
	result := call(t, session, "much", nil)
	if text(result) != "true" || len(result.Content) < 2 {
		t.Fatalf("%q, %d parts", text(result), len(result.Content))
	}
	link, ok := result.Content[len(result.Content)-1].(*mcp.ResourceLink)
	if !ok {
		t.Fatalf("%+v", result.Content)
	}
	whole, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
	if err != nil || !strings.HasSuffix(whole.Contents[0].Text, "line 29999\n") {
		t.Fatalf("%+v, %v", whole, err)
	}
	part, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI + "?offset=7"})
	if err != nil || !strings.HasPrefix(part.Contents[0].Text, "line 1\n") {
		t.Errorf("%+v, %v", part, err)
	}
	run := strings.TrimPrefix(result.Meta["scriptrun/report"].(string), "scriptrun://runs/")
	for _, uri := range []string{"..%2f..%2fetc%2fpasswd", "../../etc/passwd", "%2e%2e", ".", "nothing"} {
		if got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scriptrun://runs/" + run + "/" + uri}); err == nil {
			t.Errorf("%s: %+v", uri, got.Contents[0])
		}
	}
}

// fuzzed is a server without tools.
func fuzzed(f *testing.F) *serve.Server {
	f.Helper()
	runner, err := runtime.New(runtime.Options{InProcess: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { runner.Close() })
	server, err := serve.New(serve.Options{Runner: runner})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(server.Close)
	return server
}

// TestDirect: host tools that clients may call themselves, and no others.
func TestDirect(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{Direct: []string{"read"}})
	b.write(t, "a.txt", "one\n")
	session := b.connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "read" || !list.Tools[0].Annotations.ReadOnlyHint {
		t.Fatalf("%+v, %v", list, err)
	}
	if result := call(t, session, "read", map[string]any{"file_path": "a.txt"}); result.IsError || text(result) != "one\n" {
		t.Errorf("%+v", result)
	}
	if result := call(t, session, "read", map[string]any{"file_path": "../x"}); !result.IsError || !strings.Contains(text(result), "outside the workspace") {
		t.Errorf("%s", text(result))
	}
	if _, err := serve.New(serve.Options{Runner: b.runner, Direct: []string{"reed"}}); err == nil || !strings.Contains(err.Error(), `did you mean "read"`) {
		t.Error(err)
	}
}

// TestDirectGoesOn: an answer that is not all there is says how to get the rest.
func TestDirectGoesOn(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{Direct: []string{"read", "grep"}})
	b.write(t, "a.txt", "x 1\nx 2\nx 3\n")
	session := b.connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || !strings.Contains(list.Tools[0].Description, "pass next as cursor") {
		t.Fatalf("%+v, %v", list, err)
	}
	args, pages := map[string]any{"pattern": "x", "limit": 2}, []string{}
	for range 3 {
		var page struct {
			Data []struct{ Text string }
			Next string
		}
		said := text(call(t, session, "grep", args))
		if err := json.Unmarshal([]byte(said), &page); err != nil {
			pages = append(pages, strings.Join(strings.Fields(said), ""))
			break
		}
		pages = append(pages, fmt.Sprint(page.Data))
		args["cursor"] = page.Next
	}
	if got := strings.Join(pages, " "); got != `[{x 1} {x 2}] [{"file":"a.txt","line":3,"text":"x3"}]` {
		t.Error(got)
	}
	if said := text(call(t, session, "read", map[string]any{"file_path": "a.txt", "offset": 1, "limit": 1})); strings.Join(strings.Fields(said), " ") != `{"text":"x 2\n","next":2}` {
		t.Error(said)
	}
}

// TestEvalRefusesOtherArguments: what it does not take is not dropped.
func TestEvalRefusesOtherArguments(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{Eval: &serve.Eval{}}).connect(t, nil)
	for name, want := range map[string]string{"input": "did you mean inputs?", "x": "did you mean code or inputs?"} {
		result := call(t, session, "eval", map[string]any{"code": "return inputs", name: map[string]any{"a": 1}})
		if !result.IsError || !strings.Contains(text(result), want) {
			t.Errorf("%s: %s", name, text(result))
		}
	}
}

// TestLinesThatAreNoMessages: each is answered, and the session goes on. Requests before the
// end of the stream are answered too.
func TestLinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	server := offer(t, serve.Options{}, add).server
	for line, want := range map[string]string{
		`{"jSonrpc":"2.0","id":1,"method":"ping"}`: "-32600", `{"jsonrpc":"2.0","iD":1,"method":"ping"}`: "",
		"garbage": "-32700", "{": "-32700", "null": "-32600", "1": "-32600", "[]": "-32600", "[1]": "-32600", "{}": "-32600",
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`: "-32600", `{"jsonrpc":"2.0","id":null,"method":"ping"}`: "-32600",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: "-32600", `{"jsonrpc":"2.0","id":1}`: "-32600", `{"jsonrpc":"2.0","id":1,"method":7}`: "-32600",
		`{"jsonrpc":"2.0","id":1,"method":null}`: "-32600", `{"jsonrpc":"2.0","id":1,"method":""}`: "error",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":7}`: "-32602", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: "result",
		strings.Repeat("[", 1<<20): "-32700", strings.Repeat("a", 33<<20): "-32600", "\xff": "-32700", `{"jsonrpc":"2.0","id":1,"result":{}}`: "",
	} {
		var out bytes.Buffer
		in := line + "\n\r\n" + `{"jsonrpc":"2.0","id":"last","method":"ping"}` // and no newline
		if err := server.Stdio(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Errorf("%.100s: %v", line, err)
		}
		if got := out.String(); !strings.Contains(got, want) || !strings.Contains(got, `"id":"last","result":{}`) {
			t.Errorf("%.100s: %s", line, got)
		}
	}
}

// TestModelsAreToldWhatCallsAnswer: what is in data and metadata, and how a list that was cut goes on.
func TestModelsAreToldWhatCallsAnswer(t *testing.T) {
	t.Parallel()
	session := offer(t, serve.Options{Eval: &serve.Eval{Allow: []hostapi.Rule{{Tool: "grep"}, {Tool: "read"}}}}).connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"metadata, truncated}", "cursor: metadata.next", "data: [{file, line, text}]", "; metadata: more; next:", "// Reads a text file, or some of its lines. metadata: range: {offset"} {
		if about := list.Tools[0].Description; !strings.Contains(about, want) {
			t.Errorf("%q is not in %s", want, about)
		}
	}
}

// TestSearch: many tools' signatures are found by words.
func TestSearch(t *testing.T) {
	t.Parallel()
	eval := &serve.Eval{Allow: []hostapi.Rule{{Tool: "read"}, {Tool: "grep"}}}
	for n := range 30 {
		eval.Allow = append(eval.Allow, hostapi.Rule{Tool: "bash", Pattern: fmt.Sprintf("command-%d *", n)})
	}
	session := offer(t, serve.Options{Eval: eval}).connect(t, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || strings.Contains(list.Tools[0].Description, "command-7") || !strings.Contains(list.Tools[0].Description, "32 tools") {
		t.Fatal(list.Tools[0].Description, err)
	}
	for search, want := range map[string]string{"FILE lines": `ctx.tool("read"`, "command-7 *": "only bash(command-7 *)", "no such words": "try fewer"} {
		if got := text(call(t, session, "eval", map[string]any{"search": search})); !strings.Contains(got, want) || strings.Contains(got, "command-8") {
			t.Errorf("%s: %s", search, got)
		}
	}
}

// TestSessionRuns: a session has only so many runs at once.
func TestSessionRuns(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{SessionRuns: 1}, add, wait)
	begun := make(chan struct{}, 10)
	session := b.connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { begun <- struct{}{} }})
	first, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() {
		params := &mcp.CallToolParams{Name: "wait"}
		params.SetProgressToken(1)
		_, err := session.CallTool(first, params)
		ended <- err
	}()
	<-begun
	second := make(chan *mcp.CallToolResult, 1)
	go func() {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
		ended <- err
		second <- result
	}()
	if err := session.Ping(t.Context(), nil); err != nil { // others are answered meanwhile
		t.Error(err)
	}
	select {
	case <-second:
		t.Error("two runs at once")
	default:
	}
	cancel()
	<-ended
	if err := <-ended; err != nil || (<-second).IsError {
		t.Error(err)
	}
}

// TestWatch: the system reports changes; where it does not, they are polled for.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]bool{"told": true, "looked for": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := filepath.Join(t.TempDir(), "tools"), filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if there {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			changed, fell, ended := make(chan struct{}, 100), make(chan error, 1), make(chan struct{})
			asked := make(chan struct{}, 100)
			var polls atomic.Bool
			go func() {
				defer close(ended)
				serve.Watch(ctx, func() []string {
					asked <- struct{}{}
					if !there && !polls.Load() {
						return []string{filepath.Join(file, "folder")} // which nothing can watch
					}
					return []string{dir}
				}, func() { changed <- struct{}{} }, func(err error) { polls.Store(true); fell <- err })
			}()
			<-asked
			if !there {
				if err := <-fell; err == nil {
					t.Error("there was nothing to watch")
				}
				<-asked // and the first look is over, or about to be
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for n := range 2 {
				for i := 0; ; i++ { // until it is seen: it may just be looking elsewhere
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("a%d-%d.js", n, i)), []byte("x"), 0o644); err != nil {
						t.Fatal(err)
					}
					select {
					case <-changed:
					case <-time.After(3 * time.Second):
						continue
					}
					break
				}
			}
			cancel()
			<-ended
		})
	}
}
