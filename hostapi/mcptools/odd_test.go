package mcptools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/mcptools"
)

// odd are servers that are not as they should be. Each is asked for its tools and
// for calls of them.
var odd = map[string]func(asked){
	"noisy": func(a asked) {
		fmt.Println("Listening on stdio…\x1b[31m")
		fmt.Println(`{"level":"info","msg":"a log as JSON"}`)
		fmt.Println(`[1,2]`)
		switch a.Method {
		case "tools/list":
			a.answer(oneTool)
		case "tools/call":
			fmt.Println(strings.Repeat("noise ", 20))
			fmt.Printf(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"heard"}]}}]`+"\n", a.ID)
		}
	},
	"deep": func(a asked) {
		switch a.Method {
		case "tools/list":
			a.answer(oneTool)
		case "tools/call":
			a.answer(`{"content":[],"structuredContent":{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`)
		}
	},
	"large start": func(asked) {},
	"wants input": func(a asked) {
		switch a.Method {
		case "tools/list":
			a.answer(oneTool)
		case "tools/call":
			if called {
				os.Exit(1)
			}
			called = true
			a.answer(`{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list","params":{}}},"requestState":"s"}`)
		}
	},
	"many tools": lists(func(string) string { return tools(1001, "") }, ""),
	"many bytes": lists(func(string) string { return tools(10, strings.Repeat("d", 400<<10)) }, "next"),
	"one line":   lists(func(string) string { return tools(2, strings.Repeat("d", 3<<20)) }, ""),
	"many pages": lists(func(string) string { return "" }, "next"),
	"slow pages": lists(func(string) string {
		time.Sleep(100 * time.Millisecond) // it is the server that is slow: what is tested is that nobody waits for it
		return ""
	}, "next"),
	"ends at a call": func(a asked) {
		switch a.Method {
		case "tools/list":
			a.answer(oneTool)
		case "tools/call":
			if a.Params.Name == "one" {
				a.answer(`{"content":[{"type":"text","text":"` + strconv.Itoa(os.Getpid()) + `"}]}`)
			}
			os.Exit(0)
		}
	},
	"deaf": func(a asked) {
		if a.Method == "tools/list" {
			a.answer(oneTool)
			time.Sleep(time.Hour) // it reads no more
		}
	},
	// It is slow to start as often as a file says, and makes another when asked.
	"slow start": func(a asked) {
		if a.Method == "tools/list" {
			a.answer(oneTool)
		}
		if a.Method == "tools/call" {
			a.answer(`{"content":[{"type":"text","text":"` + strconv.Itoa(os.Getpid()) + `"}]}`)
		}
	},
}

// called is whether the server was called before.
var called bool

func lists(page func(cursor string) string, next string) func(asked) {
	return func(a asked) {
		if a.Method == "tools/list" {
			a.answer(`{"tools":[` + page(a.Params.Cursor) + `],"nextCursor":"` + next + `"}`)
		}
	}
}

func tools(n int, about string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"name":"tool%d","description":%q,"inputSchema":{"type":"object"}}`, i, about))
	}
	return strings.Join(all, ",")
}

func oddServer(mode string) mcptools.Server {
	return mcptools.Server{Name: "odd", Command: []string{os.Args[0], "serve", mode}}
}

// TestNoiseOnStdoutIsSkippedAndNoted: a server that logs there works, and the
// operator is told, a few times.
func TestNoiseOnStdoutIsSkippedAndNoted(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var noted []string
	config := oddServer("noisy")
	config.Noted = func(sentence string) {
		mu.Lock()
		defer mu.Unlock()
		noted = append(noted, sentence)
	}
	c := connect(t, config)
	for range 5 {
		if got := invoke(t, c, "mcp__odd__one", "{}"); got.Throws || got.Output != "heard" {
			t.Errorf("%+v", got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(noted) != 6 || !strings.Contains(noted[0], `MCP server "odd"`) || !strings.Contains(noted[0], `Listening on stdio…\x1b[31m`) || !strings.Contains(noted[5], "not noted") {
		t.Errorf("%q", noted)
	}
}

// TestAnswerThatCannotBeReadFailsItsCall, and no other.
func TestAnswerThatCannotBeReadFailsItsCall(t *testing.T) {
	t.Parallel()
	c := connect(t, oddServer("deep"))
	for range 2 {
		if got := invoke(t, c, "mcp__odd__one", "{}"); !got.Throws || !strings.Contains(got.Output, "its answer cannot be read") || strings.Contains(got.Output, "starts it again") {
			t.Errorf("%+v", got)
		}
	}
}

// TestListsAreBounded: the error says by what.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"many tools": "more than 1000 tools", "many bytes": "more than 4194304 bytes", "one line": "more than 4194304 bytes in one message",
		"many pages": "more than 100 pages", "slow pages": "deadline",
	} {
		config := oddServer(mode)
		if mode == "slow pages" {
			config.StartTimeout = time.Second
		}
		if _, err := mcptools.Connect(t.Context(), config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "big", Version: "1"}, nil)
		s.AddTool(&mcp.Tool{Name: "big", Description: strings.Repeat("d", 5<<20), InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
		return s
	}, nil))
	t.Cleanup(web.Close)
	if _, err := mcptools.Connect(t.Context(), mcptools.Server{Name: "web", URL: web.URL}); err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes") {
		t.Errorf("over HTTP: %v", err)
	}
}

// TestEndedServerIsStartedAgainByTheNextCall: the call does not fail for what
// happened before it.
func TestEndedServerIsStartedAgainByTheNextCall(t *testing.T) {
	t.Parallel()
	c := connect(t, oddServer("ends at a call"))
	seen := map[string]bool{}
	for range 10 {
		got := invoke(t, c, "mcp__odd__one", "{}")
		if got.Throws || seen[got.Output] {
			t.Errorf("%+v", got)
		}
		seen[got.Output] = true
		untilBuried(got.Output)
	}
}

// TestCancelledCallLeavesTheServerToOthers: whoever waits for a start may give
// up; those who wait with it have the server, and nobody waits longer than they
// may.
func TestCancelledCallLeavesTheServerToOthers(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	config := oddServer("slow start")
	config.Env = map[string]string{"GATE": gate}
	c := connect(t, config)
	one := c.Tools()[0]
	first := ask(t.Context(), one)
	if err := os.WriteFile(gate, nil, 0o600); err != nil { // the next start waits
		t.Fatal(err)
	}
	pid, err := strconv.Atoi((<-first).Output)
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
	untilBuried(strconv.Itoa(pid))
	impatient, cancel := context.WithCancel(t.Context())
	hurried, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	given, late, patient := ask(impatient, one), ask(hurried, one), ask(t.Context(), one)
	cancel()
	<-given
	if got := <-late; !errors.Is(got.err, context.DeadlineExceeded) {
		t.Errorf("who may wait for 50 ms: %+v", got)
	}
	if err := os.WriteFile(gate+".open", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-patient; got.err != nil || got.Throws || got.Output == strconv.Itoa(pid) {
		t.Errorf("who waited with others: %+v", got)
	}
}

// untilBuried waits until a process is gone, with all that it held.
func untilBuried(pid string) {
	for {
		if _, err := os.Stat("/proc/" + pid); err != nil {
			return
		}
		time.Sleep(time.Millisecond) // it is somebody else's child
	}
}

type answered struct {
	hostapi.Result
	err error
}

func ask(ctx context.Context, tool hostapi.Tool) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		result, err := tool.Invoke(ctx, hostapi.Call{Tool: tool.Name(), Args: json.RawMessage(`{}`)})
		done <- answered{result, err}
	}()
	return done
}

// TestDeafServerHoldsNobodyUp: a server that does not read what it is sent is
// waited for as long as each call may wait, and no longer.
func TestDeafServerHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	c := connect(t, oddServer("deaf"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	large, err := json.Marshal(map[string]string{"x": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	var calls []<-chan answered
	for range 3 {
		done := make(chan answered, 1)
		go func() {
			result, err := c.Tools()[0].Invoke(ctx, hostapi.Call{Tool: "mcp__odd__one", Args: large})
			done <- answered{result, err}
		}()
		calls = append(calls, done)
	}
	for _, call := range calls {
		select {
		case got := <-call:
			if !errors.Is(got.err, context.DeadlineExceeded) {
				t.Errorf("%+v", got)
			}
		case <-time.After(time.Minute):
			t.Fatal("a call waits for a server that does not read")
		}
	}
}

// TestCloseEndsCallsUnderWay: closing waits for no call.
func TestCloseEndsCallsUnderWay(t *testing.T) {
	t.Parallel()
	waiting := make(written, 10)
	c := connect(t, mcptools.Server{Stderr: waiting})
	done := ask(t.Context(), find(t, c, "mcp__sorts__slow"))
	<-waiting
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	select {
	case got := <-done:
		if !got.Throws || !strings.Contains(got.Output, "closed") {
			t.Errorf("%+v", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("the call is still there")
	}
}

func find(t *testing.T, c *mcptools.Connection, name string) hostapi.Tool {
	t.Helper()
	for _, tool := range c.Tools() {
		if tool.Name() == name {
			return tool
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

// TestErrorsDoNotShowAddresses: keys stand in names, paths and queries of
// addresses, and errors are shown to models.
func TestErrorsDoNotShowAddresses(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://example.com"+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	}))
	t.Cleanup(away.Close)
	closing := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(closing.Close)
	for _, address := range []string{
		"https://s3cret@example.com/mcp", "https://user:s3cret@example.com/mcp", "ftp://s3cret@example.com", "https://s3cret:%zz@example.com", "http://[s3cret", "s3cret",
		gone.URL + "/s3cret/mcp?key=s3cret&q=\"s3cret\"", refusing.URL + "/s3cret?key=s3cret", away.URL + "/s3cret?key=s3cret", closing.URL + "/s3cret/%2F?key=s3cret",
	} {
		_, err := mcptools.Connect(t.Context(), mcptools.Server{Name: "web", URL: address})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
