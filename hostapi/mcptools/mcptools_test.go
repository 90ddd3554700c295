package mcptools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
	"go.uber.org/goleak"
)

// TestMain is the server too, in a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if len(os.Args) > 4 && os.Args[2] == "hostile" {
			serveHostile(os.Args[3], os.Args[4])
			os.Exit(0)
		}
		if len(os.Args) > 2 && odd[os.Args[2]] != nil {
			speak(odd[os.Args[2]])
			os.Exit(0)
		}
		if len(os.Args) > 2 {
			os.Stderr.WriteString("no such mode: " + os.Args[2] + "\n")
			os.Exit(3)
		}
		if err := server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// server has tools of all sorts.
func server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sorts", Version: "1"}, nil)
	add := func(name, schema string, do func(context.Context, json.RawMessage) *mcp.CallToolResult) {
		s.AddTool(&mcp.Tool{Name: name, Description: "It is " + name + ".\nMore.", InputSchema: json.RawMessage(schema)},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return do(ctx, r.Params.Arguments), nil
			})
	}
	text := func(texts ...string) *mcp.CallToolResult {
		r := &mcp.CallToolResult{}
		for _, t := range texts {
			r.Content = append(r.Content, &mcp.TextContent{Text: t})
		}
		return r
	}
	const anything = `{"type":"object"}`
	add("echo", `{"type":"object","required":["x"],"properties":{"x":{"type":"number"}}}`, func(_ context.Context, args json.RawMessage) *mcp.CallToolResult {
		r := text(string(args))
		r.StructuredContent = args
		return r
	})
	add("plain", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text("two", "parts") })
	add("json", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text(` [1, {"a": 2}]`) })
	add("image", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("xyz"), MIMEType: "image/png"}}}
	})
	add("fails", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult {
		r := text("there is no such issue")
		r.IsError = true
		return r
	})
	add("slow", anything, func(ctx context.Context, _ json.RawMessage) *mcp.CallToolResult {
		os.Stderr.WriteString("waiting")
		<-ctx.Done()
		return text("late")
	})
	add("pid", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text(strconv.Itoa(os.Getpid())) })
	add("env", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult {
		return text(strings.Join(os.Environ(), "\n"))
	})
	add("child", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			return text(err.Error())
		}
		return text(strconv.Itoa(cmd.Process.Pid))
	})
	add("with.dots", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text("dots") })
	add("with/dots", anything, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text("slash") })
	add(strings.Repeat("long", 20), anything, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text("long") })
	add("refers", `{"type":"object","$ref":"https://example.com/schema.json"}`, func(context.Context, json.RawMessage) *mcp.CallToolResult { return text("refers") })
	return s
}

func connect(t *testing.T, config mcptools.Server) *mcptools.Connection {
	t.Helper()
	if config.Name == "" {
		config.Name = "sorts"
	}
	if config.URL == "" && config.Command == nil {
		config.Command = []string{os.Args[0], "serve"}
	}
	c, err := mcptools.Connect(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func invoke(t *testing.T, c *mcptools.Connection, name, args string) hostapi.Result {
	t.Helper()
	registry, err := hostapi.NewRegistry(c.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := registry.Lookup(name)
	if !ok {
		t.Fatalf("there is no %s; there are %q", name, registry.Names())
	}
	result, err := tool.Invoke(t.Context(), hostapi.Call{Tool: name, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if r.Header.Get("Authorization") != "Bearer key" {
			return nil
		}
		return server()
	}, nil))
	t.Cleanup(web.Close)
	for name, config := range map[string]mcptools.Server{
		"stdio": {}, "http": {URL: web.URL, Headers: map[string]string{"Authorization": "Bearer key"}},
	} {
		c := connect(t, config)
		for _, want := range []struct {
			tool, args, output, data string
			throws                   bool
		}{
			{"mcp__sorts__echo", `{"x":1}`, `{"x":1}`, `{"x":1}`, false},
			{"mcp__sorts__plain", `{}`, "two\nparts", `"two\nparts"`, false},
			{"mcp__sorts__json", `{}`, ` [1, {"a": 2}]`, `[1, {"a": 2}]`, false},
			{"mcp__sorts__image", `{}`, "[image, image/png, 3 bytes]", `"[image, image/png, 3 bytes]"`, false},
			{"mcp__sorts__fails", `{}`, "there is no such issue", `"there is no such issue"`, true},
			{"mcp__sorts__with_dots", `{}`, "dots", `"dots"`, false},
			{"mcp__sorts__refers", `{}`, "refers", `"refers"`, false},
		} {
			got := invoke(t, c, want.tool, want.args)
			if got.Output != want.output || string(got.Data) != want.data || got.Throws != want.throws || (got.ExitCode != 0) != want.throws {
				t.Errorf("%s: %s: %+v, %s", name, want.tool, got, got.Data)
			}
		}
		if skipped := c.Skipped(); len(skipped) != 2 {
			t.Errorf("%q", skipped)
		}
	}
}

func TestWantedTools(t *testing.T) {
	t.Parallel()
	if c := connect(t, mcptools.Server{Tools: []string{"plain"}}); len(c.Tools()) != 1 {
		t.Error(c.Tools())
	}
	_, err := mcptools.Connect(t.Context(), mcptools.Server{Name: "sorts", Command: []string{os.Args[0], "serve"}, Tools: []string{"plane"}})
	if err == nil || !strings.Contains(err.Error(), `no tool "plane"; it has`) {
		t.Error(err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := strings.Split(invoke(t, connect(t, mcptools.Server{Env: map[string]string{"B": "2", "A": "1"}}), "mcp__sorts__env", "{}").Output, "\n")
	slices.Sort(got)
	if !slices.Equal(got, []string{"A=1", "B=2"}) {
		t.Errorf("%q", got)
	}
}

func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	c := connect(t, mcptools.Server{Timeout: 2 * time.Second})
	if got := invoke(t, c, "mcp__sorts__slow", "{}"); !got.Throws || !strings.Contains(got.Output, "did not answer within 2s") {
		t.Errorf("%+v", got)
	}
	if got := invoke(t, c, "mcp__sorts__plain", "{}"); got.Throws {
		t.Errorf("it does not answer after that: %+v", got)
	}
}

// TestKilledServer: a call that it is killed in fails; the next works.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	waiting := make(written, 10)
	c := connect(t, mcptools.Server{Env: map[string]string{"PATH": os.Getenv("PATH")}, Stderr: waiting})
	kill := func(text string) int {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(pid)
		if err == nil {
			err = process.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	child := invoke(t, c, "mcp__sorts__child", "{}").Output
	slow := make(chan hostapi.Result, 1)
	first := invoke(t, c, "mcp__sorts__pid", "{}").Output
	go func() { slow <- invoke(t, c, "mcp__sorts__slow", "{}") }()
	<-waiting
	kill(first)
	if got := <-slow; !got.Throws || !strings.Contains(got.Output, `MCP server "sorts"`) {
		t.Errorf("the call in the middle: %+v", got)
	}
	second := invoke(t, c, "mcp__sorts__pid", "{}")
	if second.Throws || second.Output == first {
		t.Errorf("the next call: %+v", second)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "linux" && alive(child) {
		t.Errorf("what the server had started is left: %s", child)
	}
	if got := invoke(t, c, "mcp__sorts__pid", "{}"); !got.Throws || !strings.Contains(got.Output, "closed") {
		t.Errorf("after it was closed: %+v", got)
	}
}

// written tells that something was written.
type written chan struct{}

func (w written) Write(p []byte) (int, error) {
	w <- struct{}{}
	return len(p), nil
}

// alive reports whether a process is there and not merely unburied.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("somebody else was asked") }))
	t.Cleanup(thief.Close)
	away := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(away.Close)
	for name, c := range map[string]struct {
		server mcptools.Server
		want   string
	}{
		"no such program":   {mcptools.Server{Command: []string{"/no/such/program"}}, `MCP server "x": there is no program "/no/such/program"`},
		"with arguments":    {mcptools.Server{Command: []string{"python3 srv.py"}}, `arguments go into args: command = "python3", args = ["srv.py"]`},
		"nowhere":           {mcptools.Server{Command: []string{"sleep", "1"}, Dir: "/no/such/dir"}, `its directory "/no/such/dir" is not there`},
		"ends at once":      {mcptools.Server{Command: []string{os.Args[0], "serve", "badly"}}, "ended before it answered; it wrote: no such mode: badly"},
		"says nothing":      {mcptools.Server{Command: []string{"sleep", "1000"}, StartTimeout: 50 * time.Millisecond}, `"sleep …" did not answer within 50ms`},
		"is somebody else":  {mcptools.Server{URL: web.URL}, web.URL},
		"leads away":        {mcptools.Server{URL: away.URL, Headers: map[string]string{"X-Key": "secret"}}, "name that as its url"},
		"no name":           {mcptools.Server{Name: "a__b", Command: []string{"x"}}, "a name matches"},
		"neither":           {mcptools.Server{}, "either a command or a url"},
		"both":              {mcptools.Server{Command: []string{"x"}, URL: "https://example.com"}, "command and url are both there; give one"},
		"a key in the url":  {mcptools.Server{URL: "https://user:key@example.com"}, "without credentials"},
		"not a web address": {mcptools.Server{URL: "ftp://example.com"}, "http or https"},
	} {
		if c.server.Name == "" {
			c.server.Name = "x"
		}
		_, err := mcptools.Connect(t.Context(), c.server)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		var typed *mcptools.Error
		if started := name == "says nothing" || name == "is somebody else"; started && !errors.As(err, &typed) {
			t.Errorf("%s: %T", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "again") || strings.Contains(err.Error(), "fork/exec")) {
			t.Errorf("%s: nobody can start it again: %v", name, err)
		}
	}
}
