//go:build unix

package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/hostapi/shell/acp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// editor is a client that runs commands with [shell.Local], and holds every
// message to the protocol's own schema.
type editor struct {
	t      *testing.T
	local  *shell.Local
	schema func(definition string, value any) error

	// answer, if it is set, may answer in the editor's place; (nil, nil) leaves
	// it to the editor.
	answer func(method string) (any, *acpsdk.RequestError)

	mu       sync.Mutex
	requests []request
}

type request struct {
	method string
	params map[string]any
}

// definitions are the schema's names for what a method takes and gives.
var definitions = map[string]string{
	"terminal/create": "CreateTerminal", "terminal/output": "TerminalOutput", "terminal/wait_for_exit": "WaitForTerminalExit",
	"terminal/kill": "KillTerminal", "terminal/release": "ReleaseTerminal",
}

// open is an editor, and a backend that speaks to it over a stream.
func open(t *testing.T, answer func(method string) (any, *acpsdk.RequestError)) (*editor, *acp.Backend, net.Conn) {
	t.Helper()
	e := &editor{t: t, local: new(shell.Local), schema: protocol(t), answer: answer}
	agent, client := net.Pipe()
	acpsdk.NewConnection(e.handle, client, client).SetLogger(slog.New(slog.DiscardHandler)) // nothing was sent so far
	b := acp.Open(agent, "session-1")
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Logf("close: %v", err)
		}
		_ = agent.Close()
		_ = client.Close()
		if err := e.local.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, b, agent
}

// protocol validates against the protocol's own schema.
func protocol(t *testing.T) func(string, any) error {
	t.Helper()
	f, err := os.Open("testdata/terminal.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("acp.json", document); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	return func(definition string, value any) error {
		mu.Lock()
		defer mu.Unlock()
		schema, err := compiler.Compile("acp.json#/$defs/" + definition)
		if err != nil {
			return err
		}
		return schema.Validate(value)
	}
}

func (e *editor) handle(ctx context.Context, method string, raw json.RawMessage) (any, *acpsdk.RequestError) {
	r := request{method: method}
	if err := json.Unmarshal(raw, &r.params); err != nil {
		e.t.Errorf("%s: %v", method, err)
	}
	e.mu.Lock()
	e.requests = append(e.requests, r)
	e.mu.Unlock()
	if err := e.schema(definitions[method]+"Request", any(r.params)); err != nil {
		e.t.Errorf("%s breaks the protocol: %v", method, err)
	}
	if e.answer != nil {
		if result, refusal := e.answer(method); result != nil || refusal != nil {
			return result, refusal
		}
	}
	result, err := e.do(ctx, method, raw)
	if err != nil {
		return nil, acpsdk.NewInternalError(err.Error())
	}
	return result, nil
}

func (e *editor) do(ctx context.Context, method string, raw json.RawMessage) (any, error) {
	var r struct {
		Command    string
		Args       []string
		Env        []acpsdk.EnvVariable
		Cwd        string
		TerminalID shell.TerminalID `json:"terminalId"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	switch method {
	case "terminal/create":
		where := shell.ExecContext{}.WithCwd(r.Cwd)
		for _, v := range r.Env {
			where = where.WithEnv(v.Name, v.Value)
		}
		id, err := e.local.Create(context.WithoutCancel(ctx), shell.Command{
			Argv: append([]string{r.Command}, r.Args...), Context: where,
			Sandbox: shell.Sandbox{Profile: shell.ProfileOff}, Limits: shell.Limits{Timeout: time.Minute},
		})
		return acpsdk.CreateTerminalResponse{TerminalId: string(id)}, err
	case "terminal/output":
		out, err := e.local.Output(r.TerminalID, 0)
		return acpsdk.TerminalOutputResponse{Output: string(out.Both.Head) + string(out.Both.Tail)}, err
	case "terminal/wait_for_exit":
		status, err := e.local.Wait(ctx, r.TerminalID)
		response := acpsdk.WaitForTerminalExitResponse{ExitCode: &status.ExitCode}
		if status.Signal != "" {
			response = acpsdk.WaitForTerminalExitResponse{Signal: &status.Signal}
		}
		return response, err
	case "terminal/kill":
		return acpsdk.KillTerminalResponse{}, e.local.Kill(r.TerminalID, syscall.SIGKILL)
	case "terminal/release":
		return acpsdk.ReleaseTerminalResponse{}, e.local.Release(r.TerminalID)
	}
	return nil, errors.New("no such method")
}

// asked are the methods that were asked for, in order.
func (e *editor) asked() (methods []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.requests {
		methods = append(methods, r.method)
	}
	return methods
}

func command(t *testing.T, line string) shell.Command {
	t.Helper()
	return shell.Command{
		Line:    line,
		Context: shell.ExecContext{}.WithCwd(t.TempDir()).WithEnv("PATH", os.Getenv("PATH")).WithEnv("A", "b=c"),
		Limits:  shell.Limits{Timeout: time.Minute},
	}
}
