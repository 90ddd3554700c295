//go:build unix

package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/shell/acp"
)

// A *acpsdk.AgentSideConnection is what an agent has already.
var _ acp.Client = (*acpsdk.AgentSideConnection)(nil)

func TestEveryMethodNamesSessionAndTerminal(t *testing.T) {
	t.Parallel()
	e, b, _ := open(t, nil)
	c := command(t, "echo $A; echo two; exit 7")
	c.Limits.OutputBytes = 1000
	id, err := b.Create(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		status, err := b.Wait(t.Context(), id)
		if err != nil || status.ExitCode != 7 || status.Signal != "" || status.TimedOut || status.Cancelled || status.Duration <= 0 {
			t.Errorf("status %+v, %v", status, err)
		}
	}
	for _, since := range []int64{0, 4} {
		out, err := b.Output(id, since)
		if want := "b=c\ntwo\n"[since:]; err != nil || string(out.Both.Tail) != want || out.Both.Total != 8 || out.Status == nil {
			t.Errorf("output %+v, %v; want %q", out, err, want)
		}
	}
	if err := b.Kill(id, syscall.SIGKILL); err != nil {
		t.Errorf("kill after the end: %v", err)
	}
	for range 2 {
		if err := b.Release(id); err != nil {
			t.Errorf("release: %v", err)
		}
	}
	want := []string{"terminal/create", "terminal/wait_for_exit", "terminal/output", "terminal/output", "terminal/release"}
	if got := e.asked(); !slices.Equal(got, want) {
		t.Errorf("it was asked for %q, want %q", got, want)
	}
	create := e.requests[0].params
	for key, want := range map[string]any{
		"sessionId": "session-1", "command": "/bin/sh", "args": []any{"-c", c.Line}, "cwd": c.Context.Cwd(), "outputByteLimit": 1000.0,
	} {
		if !reflect.DeepEqual(create[key], want) {
			t.Errorf("create: %s is %v, want %v", key, create[key], want)
		}
	}
	if env, _ := json.Marshal(create["env"]); !strings.HasPrefix(string(env), `[{"name":"A","value":"b=c"},{"name":"PATH",`) || len(create["env"].([]any)) != 2 {
		t.Errorf("create: env is %s", env)
	}
	for _, r := range e.requests[1:] {
		if r.params["sessionId"] != "session-1" || r.params["terminalId"] == "" {
			t.Errorf("%s: %v", r.method, r.params)
		}
	}
	_, outErr := b.Output(id, 0)
	_, waitErr := b.Wait(t.Context(), id)
	for _, err := range []error{outErr, waitErr, b.Kill(id, syscall.SIGTERM), b.Kill("never", syscall.SIGTERM)} {
		if !errors.Is(err, shell.ErrNotFound) {
			t.Errorf("released: %v, want ErrNotFound", err)
		}
	}
	if got := e.asked(); len(got) != len(want) {
		t.Errorf("the client was asked about a terminal that was released: %q", got)
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line    string
		timeout time.Duration
		end     func(*acp.Backend, shell.TerminalID, context.CancelFunc)
		want    shell.ExitStatus
	}{
		"deadline":   {"exec sleep 60", 50 * time.Millisecond, nil, shell.ExitStatus{ExitCode: -1, Signal: "SIGKILL", TimedOut: true}},
		"cancel":     {"exec sleep 60", time.Minute, func(_ *acp.Backend, _ shell.TerminalID, cancel context.CancelFunc) { cancel() }, shell.ExitStatus{ExitCode: -1, Signal: "SIGKILL", Cancelled: true}},
		"kill":       {"exec sleep 60", time.Minute, func(b *acp.Backend, id shell.TerminalID, _ context.CancelFunc) { _ = b.Kill(id, syscall.SIGTERM) }, shell.ExitStatus{ExitCode: -1, Signal: "SIGKILL"}},
		"own signal": {"kill -USR1 $$", time.Minute, nil, shell.ExitStatus{ExitCode: -1, Signal: "SIGUSR1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b, _ := open(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			command := command(t, c.line)
			command.Limits.Timeout = c.timeout
			id, err := b.Create(ctx, command)
			if err != nil {
				t.Fatal(err)
			}
			if c.end != nil {
				c.end(b, id, cancel)
			}
			status, err := b.Wait(t.Context(), id)
			status.Duration = 0
			if err != nil || status != c.want {
				t.Errorf("status %+v, %v; want %+v", status, err, c.want)
			}
			// What was written before the end is still there.
			if _, err := b.Output(id, 0); err != nil {
				t.Error(err)
			}
		})
	}
}

// The exit codes of the protocol have 32 bits and no sign.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	number := func(n int) *int { return &n }
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		response acpsdk.WaitForTerminalExitResponse
		code     int
		signal   string
	}{
		{acpsdk.WaitForTerminalExitResponse{ExitCode: number(0)}, 0, ""},
		{acpsdk.WaitForTerminalExitResponse{ExitCode: number(math.MaxInt32)}, math.MaxInt32, ""},
		{acpsdk.WaitForTerminalExitResponse{ExitCode: number(math.MaxInt32 + 1)}, -1, ""},
		{acpsdk.WaitForTerminalExitResponse{ExitCode: number(math.MaxUint32)}, -1, ""},
		{acpsdk.WaitForTerminalExitResponse{Signal: text("SIGSEGV")}, -1, "SIGSEGV"},
		{acpsdk.WaitForTerminalExitResponse{}, -1, ""},
	} {
		_, b, _ := open(t, func(method string) (any, *acpsdk.RequestError) {
			if method == "terminal/wait_for_exit" {
				return c.response, nil
			}
			return nil, nil
		})
		id, err := b.Create(t.Context(), command(t, "true"))
		if err != nil {
			t.Fatal(err)
		}
		if status, err := b.Wait(t.Context(), id); err != nil || status.ExitCode != c.code || status.Signal != c.signal {
			t.Errorf("status %+v, %v; want %d %q", status, err, c.code, c.signal)
		}
	}
}

func TestCreateRefused(t *testing.T) {
	t.Parallel()
	e, b, _ := open(t, func(string) (any, *acpsdk.RequestError) { return nil, acpsdk.NewInvalidParams("no such folder") })
	_, err := b.Create(t.Context(), command(t, "true"))
	var start *shell.StartError
	var client *acp.ClientError
	var answer *acpsdk.RequestError
	if !errors.As(err, &start) || !errors.As(err, &client) || client.Method != "terminal/create" || !errors.As(err, &answer) || answer.Code != -32602 {
		t.Errorf("got %v", err)
	}
	if got := e.asked(); len(got) != 1 {
		t.Errorf("it was asked for %q", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stdin, boxed, endless := command(t, "true"), command(t, "true"), command(t, "true")
	stdin.Stdin = []byte{}
	boxed.Sandbox.Require = true
	endless.Limits.Timeout = 0
	for name, try := range map[string]func() (shell.TerminalID, error){
		"a stdin":             func() (shell.TerminalID, error) { return b.Create(t.Context(), stdin) },
		"a required sandbox":  func() (shell.TerminalID, error) { return b.Create(t.Context(), boxed) },
		"no timeout":          func() (shell.TerminalID, error) { return b.Create(t.Context(), endless) },
		"a run that is over":  func() (shell.TerminalID, error) { return b.Create(ended, command(t, "true")) },
		"a command of nobody": func() (shell.TerminalID, error) { return b.Create(t.Context(), shell.Command{}) },
	} {
		if _, err := try(); !errors.As(err, &start) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := e.asked(); len(got) != 1 {
		t.Errorf("the client was asked for what it cannot do: %q", got)
	}
}

// A client that cut the output has kept its end, and does not say how much is
// missing.
func TestTruncated(t *testing.T) {
	t.Parallel()
	_, b, _ := open(t, func(method string) (any, *acpsdk.RequestError) {
		if method == "terminal/output" {
			return acpsdk.TerminalOutputResponse{Output: "the end", Truncated: true}, nil
		}
		return nil, nil
	})
	id, err := b.Create(t.Context(), command(t, "true"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Output(id, 3)
	if err != nil || string(out.Both.Tail) != "the end" || out.Both.Dropped >= 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// A client that does not tell of the end is not waited for.
func TestClientThatKeepsSilent(t *testing.T) {
	t.Parallel()
	quiet := make(chan struct{})
	_, b, stream := open(t, func(method string) (any, *acpsdk.RequestError) {
		if method == "terminal/wait_for_exit" {
			<-quiet
		}
		return nil, nil
	})
	t.Cleanup(func() { close(quiet) })
	c := command(t, "true")
	c.Limits.Timeout = time.Millisecond
	id, err := b.Create(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if status, err := b.Wait(t.Context(), id); err != nil || !status.TimedOut || status.ExitCode != -1 {
		t.Errorf("status %+v, %v", status, err)
	}
	// A stream that ends is an error for all who wait.
	c.Limits.Timeout = time.Minute
	if id, err = b.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() {
			var gone *acp.ClientError
			if _, err := b.Wait(t.Context(), id); !errors.As(err, &gone) {
				t.Errorf("wait: %v", err)
			}
		})
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	waiting.Wait()
	if _, err := b.Output(id, 0); err == nil {
		t.Error("output of a client that is gone")
	}
	if err := b.Release(id); err == nil {
		t.Error("release by a client that is gone")
	}
}

// The tool is the same, whoever runs its commands.
func TestToolOverTheProtocol(t *testing.T) {
	t.Parallel()
	e, b, _ := open(t, nil)
	tool := &shell.Tool{Dir: t.TempDir(), Backend: b}
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}})
	defer gate.Close(time.Minute)
	result, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: json.RawMessage(`{"command":"echo hi; exit 3"}`)})
	if err != nil || result.ExitCode != 3 || result.Output != "hi\n" {
		t.Errorf("%+v, %v", result, err)
	}
	// A directory outside is refused before the client hears of it.
	before := len(e.asked())
	result, err = gate.Invoke(t.Context(), hostapi.Call{Seq: 2, Tool: "bash", Args: json.RawMessage(`{"command":"true","cwd":"/"}`)})
	if err != nil || result.Outcome != hostapi.OutcomeNotStarted || len(e.asked()) != before {
		t.Errorf("%+v, %v, asked for %q", result, err, e.asked()[before:])
	}
	if m := tool.Confinement(); len(m) != 1 || m[0].Gap == "" {
		t.Errorf("the measures are %+v", m)
	}
}

// What the client shows as one stream is stdout, and what it cut is not cut
// again, nor counted.
func TestOneStreamIsStdout(t *testing.T) {
	t.Parallel()
	_, b, _ := open(t, nil)
	if got := throughTheTool(t, b, "echo out; echo err >&2"); got.Stdout+got.Stderr != "out\nerr\n" && got.Stdout+got.Stderr != "err\nout\n" || got.Stderr != "" || got.Truncated {
		t.Errorf("%+v", got)
	}
	end := strings.Repeat("the end of it\n", 100)
	_, b, _ = open(t, func(method string) (any, *acpsdk.RequestError) {
		if method == "terminal/output" {
			return acpsdk.TerminalOutputResponse{Output: end, Truncated: true}, nil
		}
		return nil, nil
	})
	if got := throughTheTool(t, b, "true"); !strings.HasSuffix(got.Stdout, "\n"+end) || !got.Truncated || !strings.Contains(got.Stdout, "by an unknown number of bytes; 1400 bytes are kept") {
		t.Errorf("%+v", got)
	}
}

type streams struct {
	Stdout, Stderr string
	Truncated      bool
}

func throughTheTool(t *testing.T, b *acp.Backend, line string) (got streams) {
	t.Helper()
	result, err := (&shell.Tool{Dir: t.TempDir(), Backend: b}).Invoke(t.Context(), hostapi.Call{
		Args: json.RawMessage(fmt.Sprintf(`{"command":%q}`, line)), MaxResultBytes: 4000,
	})
	if err != nil || result.Outcome != hostapi.OutcomeOK {
		t.Fatalf("%+v, %v", result, err)
	}
	if err := json.Unmarshal(result.Data, &got); err != nil {
		t.Fatal(err)
	}
	return got
}
