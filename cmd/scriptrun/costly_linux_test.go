package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// costly is an expression that takes the engine far longer than its length suggests.
type costly struct {
	Name, Open, Middle, Close string
	Times                     int
}

func (c costly) body() string {
	return "return " + strings.Repeat(c.Open, c.Times) + c.Middle + strings.Repeat(c.Close, c.Times)
}

// costlyBodies are bodies of functions that cannot be checked.
func costlyBodies(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../runtime/testdata/costly.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []costly
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, c := range all {
		bodies[strings.ReplaceAll(c.Name, " ", "-")] = c.body()
	}
	return bodies
}

// costlyFile is a tool file, with not much time.
func costlyFile(body string) []byte {
	return []byte("/*---\nkind: script\ndescription: It costs.\nlimits: {timeoutMs: 300}\n---*/\nexport default async function run(ctx, inputs) {\n" + body + "\n}\n")
}

// builtOnce is the command for all tests, in the folder that their caches go with.
var builtOnce = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "scriptrun-built")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
})

// buildCommand is a path of the command that only this test has, so that it can look for its
// processes.
func buildCommand(t *testing.T) string {
	t.Helper()
	built, err := builtOnce()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "scriptrun")
	if err := os.Link(built, binary); err != nil {
		t.Fatal(err)
	}
	return binary
}

// spent runs the binary, and checks what it cost.
func spent(t *testing.T, dir, binary string, args ...string) (code int, out string) {
	t.Helper()
	return costs(t, dir, exec.CommandContext(t.Context(), binary, args...))
}

func costs(t *testing.T, dir string, cmd *exec.Cmd) (code int, out string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peak, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer peak.Close()
	args := cmd.Args[1:]
	cmd.Path, cmd.Args, cmd.ExtraFiles = self, append([]string{measuring, cmd.Path}, args...), []*os.File{told}
	cmd.Dir = dir
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	_ = cmd.Run() // the exit code tells
	_ = told.Close()
	text, _ := io.ReadAll(peak) // what is missing is no number
	if used, err := strconv.Atoi(string(text)); err != nil || used > 200<<10 {
		t.Errorf("%q took %q KB", args, text)
	}
	return cmd.ProcessState.ExitCode(), both.String()
}

// TestCostlyFilesByCommand: files that cannot be checked cost one error each,
// and a run of one ends with its time.
func TestCostlyFilesByCommand(t *testing.T) {
	t.Parallel()
	binary, dir := buildCommand(t), t.TempDir()
	bodies := costlyBodies(t)
	bodies["last-character"] = `return "\u{10FFFF}"`
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, body := range bodies {
		if err := os.WriteFile(filepath.Join(dir, "tools", name+".js"), costlyFile(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check"}, {"list"}} {
		code, out := spent(t, dir, binary, args...)
		for name := range bodies {
			if code != 2 || strings.Count(out, "tools/"+name+".js") != 1 {
				t.Errorf("%q says of %s, with %d: %.2000s", args, name, code, out)
			}
		}
	}
	for name, body := range bodies {
		for _, args := range [][]string{{"run", "--json", "tools/" + name + ".js"}, {"eval", "--json", "--timeout", "300ms", body}} {
			if args[0] == "run" && len(body)%3 != 0 || len(body) > 100_000 && args[0] == "eval" { // a third; and an argument has a longest length
				continue
			}
			code, out := spent(t, dir, binary, args...)
			var receipt struct{ Outcome, Run string }
			if err := json.Unmarshal([]byte(out), &receipt); err != nil || receipt.Run == "" || code == 0 || code == 70 {
				t.Errorf("%s of %s ended with %d: %.500s", args[0], name, code, out)
			}
		}
	}
	if left := running(t, binary); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// TestInputsOfManyPartsAreRefusedBeforeTheyAreDecoded: decoded they take some thirty times the
// memory of their text.
func TestInputsOfManyPartsAreRefusedBeforeTheyAreDecoded(t *testing.T) {
	t.Parallel()
	binary, dir := buildCommand(t), t.TempDir()
	inputs := `{"a":[{}` + strings.Repeat(",{}", 5_000_000) + `]}`
	tool := "/*---\nkind: script\ndescription: It takes.\ninput_schema: {type: object}\n---*/\nexport default async () => 1\n"
	for name, text := range map[string]string{"many.json": inputs, "take.js": tool} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []string{"@many.json", "-"} {
		cmd := exec.CommandContext(t.Context(), binary, "run", "take.js", "--input", from)
		if from == "-" {
			cmd.Stdin = strings.NewReader(inputs)
		}
		if code, out := costs(t, dir, cmd); code != exitUsage || !strings.Contains(out, "parts") {
			t.Errorf("%s: exit code %d: %.500s", from, code, out)
		}
	}
}

// TestServerOutlivesCostlySources: files that are put beside its tools, and code that a model
// writes, stop a server from nothing, its end included.
func TestServerOutlivesCostlySources(t *testing.T) {
	t.Parallel()
	binary, dir := buildCommand(t), t.TempDir()
	tools := filepath.Join(dir, "tools")
	put := func(name, body string) {
		if err := os.WriteFile(filepath.Join(tools, name+".js"), costlyFile(body), 0o600); err != nil {
			t.Error(err)
		}
	}
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	put("before", "return 1")
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--eval")
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	changed := make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	eval := func(ctx context.Context, code string) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": code}})
	}
	offered := func(name string) bool {
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if tool.Name == name {
				return true
			}
		}
		return false
	}

	endless := costly{Middle: "1", Close: "&&1", Times: 60}.body()
	soon, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	for range 3 {
		if _, err := eval(soon, endless); err == nil {
			t.Error("what is cancelled is answered")
		}
	}
	for _, code := range []string{`return "\u{10FFFF}"`, endless} {
		if result, err := eval(t.Context(), code); err != nil || !result.IsError {
			t.Errorf("%v %v", result, err)
		}
	}
	put("endless", endless)
	put("last", `return "\u{10FFFF}"`)
	unhurried := bytes.Replace(costlyFile("return 2"), []byte("timeoutMs: 300"), []byte("timeoutMs: 60000"), 1)
	if err := os.WriteFile(filepath.Join(tools, "after.js"), unhurried, 0o600); err != nil {
		t.Fatal(err)
	}
	for !offered("after") {
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatalf("the file that is sound was not loaded: %s", said.String())
		}
	}
	if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "after"}); err != nil || result.IsError || offered("endless") || offered("last") {
		t.Errorf("%v %v", result, err)
	}

	last := make(chan error, 1)
	go func() {
		_, err := eval(t.Context(), endless+"&&2")
		last <- err
	}()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v: %s", err, said.String())
		}
	case <-time.After(30 * time.Second):
		t.Error("the server did not end")
		_ = cmd.Process.Kill()
		<-ended
	}
	<-last
	_ = session.Close()
	// A busy machine may have no processor for the one, and says so.
	for _, either := range [][]string{{"endless.js: checking it took more than", "endless.js: the check got too little processor time"}, {"last.js:7:9: the engine cannot read"}} {
		if !slices.ContainsFunc(either, func(text string) bool { return strings.Contains(said.String(), text) }) {
			t.Errorf("it says nothing of %q:\n%s", either, said.String())
		}
	}
	if left := running(t, binary); len(left) > 0 {
		t.Errorf("processes are left: %s", fmt.Sprint(left))
	}
}
