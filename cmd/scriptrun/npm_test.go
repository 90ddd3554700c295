//go:build npm && linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// These tests run clients and servers of others, from npm, against the built
// binary: go test -tags npm ./cmd/scriptrun -run TestNPM. They need npm; the
// Node that they run on is a package too.

// packages installs the packages of the tests, and builds the binary, once for all tests.
func packages(t *testing.T) (dir, binary string) {
	t.Helper()
	dir, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, "scriptrun")
}

var installed = sync.OnceValues(func() (string, error) {
	caches, err := os.UserCacheDir() // of these tests, which is removed after them
	if err != nil {
		return "", err
	}
	dir := filepath.Join(caches, "npm")
	if err := npmCI("testdata/npm", dir); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "scriptrun"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

// npmCI copies the files of a folder, and installs what they name. It runs nothing of the
// packages if more says so.
func npmCI(from, dir string, more ...string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, file.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file.Name()), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	npm := exec.Command("npm", append([]string{"ci", "--no-audit", "--no-fund", "--loglevel", "error"}, more...)...)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w\n%s", err, out)
	}
	return nil
}

// node runs a program of the packages on their Node.
func node(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules/node/bin/node"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "node_modules/node/bin")+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var listening = regexp.MustCompile(`listening on (\S+)`)

// serveHTTP starts the binary and returns its endpoint.
func serveHTTP(t *testing.T, binary string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, append([]string{"serve", "--http", "127.0.0.1:0", "--rate", "-1", "--ask"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	endpoint := ""
	for endpoint == "" && lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			endpoint = found[1]
		}
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, stderr)
	}()
	t.Cleanup(func() {
		cancel()
		<-drained
		if err := cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("serve: %v", err)
		}
	})
	if endpoint == "" {
		t.Fatal("it does not listen")
	}
	return endpoint
}

// scenarios are those of the conformance suite that apply.
var scenarios = []string{
	"server-initialize", "logging-set-level", "ping", "tools-list", "tools-call-simple-text", "tools-call-with-logging", "tools-call-error",
	"tools-call-with-progress", "tools-call-elicitation", "json-schema-2020-12", "elicitation-sep1330-enums", "server-sse-multiple-streams",
	"resources-list", "prompts-list", "dns-rebinding-protection",
}

// inapplicable are the others, and why.
var inapplicable = map[string]string{
	"completion-complete":           "tools have no completion of arguments in the protocol; it is of prompts and resource templates",
	"tools-call-image":              "the value of a tool file is JSON, which holds no images",
	"tools-call-audio":              "the value of a tool file is JSON, which holds no sound",
	"tools-call-embedded-resource":  "the value of a tool file is JSON; resources are linked to",
	"tools-call-mixed-content":      "as tools-call-image",
	"tools-call-sampling":           "scripts do not ask models",
	"elicitation-sep1034-defaults":  "an input with a default is not missing, so nobody is asked for it",
	"server-sse-polling":            "it needs a tool that closes the stream of its own call",
	"resources-read-text":           "it reads test://static-text; resources here are receipts and outputs of runs",
	"resources-read-binary":         "as resources-read-text",
	"resources-templates-read":      "as resources-read-text",
	"resources-subscribe":           "a receipt never changes",
	"resources-unsubscribe":         "a receipt never changes",
	"prompts-get-simple":            "there are no prompts",
	"prompts-get-with-args":         "there are no prompts",
	"prompts-get-embedded-resource": "there are no prompts",
	"prompts-get-with-image":        "there are no prompts",
}

var (
	passed   = regexp.MustCompile(`Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings`)
	scenario = regexp.MustCompile(`(?m)^ +- ([a-z0-9-]+) \[`)
)

func TestNPM(t *testing.T) {
	dir, binary := packages(t)
	t.Run("conformance", func(t *testing.T) {
		suite := filepath.Join(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
		listed, err := node(t, dir, suite, "list", "--server")
		if err != nil {
			t.Fatal(err, listed)
		}
		for _, found := range scenario.FindAllStringSubmatch(listed, -1) {
			name := found[1]
			if inapplicable[name] == "" && !strings.Contains(" "+strings.Join(scenarios, " ")+" ", " "+name+" ") {
				t.Errorf("the suite has a scenario %s: run it, or say why it does not apply", name)
			}
		}
		endpoint := serveHTTP(t, binary, "--tools", "testdata/conformance")
		for _, name := range scenarios {
			out, err := node(t, dir, suite, "server", "--url", endpoint, "--scenario", name)
			counts := passed.FindStringSubmatch(out)
			if err != nil || counts == nil || counts[1] != counts[2] || counts[3] != "0" {
				t.Errorf("%s: %v\n%s", name, err, out)
				continue
			}
			t.Logf("%s: %s passed, %s warnings", name, counts[1], counts[4])
		}
	})

	tools := func(t *testing.T) string {
		folder := filepath.Join(t.TempDir(), "tools")
		for name, text := range clientTools {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	t.Run("inspector", func(t *testing.T) {
		inspector := filepath.Join(dir, "node_modules/.bin/mcp-inspector")
		folder := tools(t)
		out, err := node(t, dir, inspector, "--cli", binary, "serve", "--tools", folder, "--method", "tools/list")
		if err != nil || !strings.Contains(out, `"name": "add"`) || !strings.Contains(out, `"outputSchema"`) {
			t.Errorf("%v\n%s", err, out)
		}
		out, err = node(t, dir, inspector, "--cli", binary, "serve", "--tools", folder, "--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=1", "--tool-arg", "b=2")
		if err != nil || !strings.Contains(out, `"sum": 3`) {
			t.Errorf("%v\n%s", err, out)
		}
		out, err = node(t, dir, inspector, "--cli", serveHTTP(t, binary, "--tools", folder), "--transport", "http", "--method", "tools/list")
		if err != nil || !strings.Contains(out, `"name": "add"`) {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("client over stdio", func(t *testing.T) {
		folder := tools(t)
		if out, err := node(t, dir, "client.mjs", folder, binary, "serve", "--ask", "--tools", folder, "--workspace", filepath.Dir(folder)); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("client over HTTP", func(t *testing.T) {
		folder := tools(t)
		if out, err := node(t, dir, "client.mjs", folder, serveHTTP(t, binary, "--tools", folder, "--workspace", filepath.Dir(folder))); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("examples", func(t *testing.T) {
		folder := tools(t)
		text, err := os.ReadFile("../../examples/typescript/client.ts")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "client.ts"), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", filepath.Dir(binary)+":"+os.Getenv("PATH"))
		out, err := node(t, dir, "client.ts", folder, "add", `{"a":1,"b":2}`)
		if err != nil || !strings.Contains(out, "add - Adds two numbers.") || !strings.Contains(out, `{"sum":3}`) {
			t.Errorf("%v\n%s", err, out)
		}
		snippet, err := os.ReadFile("../../examples/agents/claude.json")
		if err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "mcp.json")
		changed := strings.ReplaceAll(string(snippet), "/path/to/project", filepath.Dir(folder))
		if err := os.WriteFile(config, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err = node(t, dir, filepath.Join(dir, "node_modules/.bin/mcp-inspector"), "--cli", "--config", config, "--server", "scriptrun", "--method", "tools/list")
		if err != nil || !strings.Contains(out, `"name": "add"`) {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("real servers", func(t *testing.T) { realServers(t, dir, binary) })
}

var clientTools = map[string]string{
	"add.js": `/*---
kind: script
description: Adds two numbers.
input_schema: {type: object, required: [a, b], properties: {a: {type: number}, b: {type: number}}}
output_schema: {type: object, required: [sum], properties: {sum: {type: number}}}
---*/
export default (ctx, { a, b }) => ({ sum: a + b })
`,
	"../scriptrun.toml": "[policy]\nask = [\"bash(git push *)\"]\n",
	"push.js": `/*---
kind: script
description: Pushes to a remote that there is not.
allowed_tools: [bash]
---*/
export default (ctx) => ctx.bash("git push nowhere").then(() => "pushed", (e) => e.name + " " + e.code)
`,
	"talk.js": `/*---
kind: script
description: Says how far it is.
---*/
export default async (ctx) => {
  console.log("hello")
  for (let done = 1; done <= 3; done++) {
    ctx.progress({ done, total: 3 })
    await new Promise((resolve) => setTimeout(resolve, 30)) // the client forgets what comes with the answer
  }
  return "done"
}
`,
	"wait.js": `/*---
kind: script
description: Waits.
allowed_tools: [bash]
---*/
export default async (ctx) => ctx.bash("sleep 1000")
`,
}

// realServers: a script combines tools of two MCP servers of others with the shell,
// concurrently, and one of the servers is killed meanwhile.
func realServers(t *testing.T, dir, binary string) {
	work := t.TempDir()
	modules := filepath.Join(dir, "node_modules")
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("note.txt", "a note\n")
	write("scriptrun.toml", `
[[mcp_servers]]
name = "fs"
command = "`+modules+`/node/bin/node"
args = ["`+modules+`/@modelcontextprotocol/server-filesystem/dist/index.js", "`+work+`"]

[[mcp_servers]]
name = "every"
command = "`+modules+`/node/bin/node"
args = ["`+modules+`/@modelcontextprotocol/server-everything/dist/index.js", "stdio"]

[sandbox]
profile = "off"
`)
	write("tools/both.js", `/*---
kind: script
description: Asks two servers and the shell at once, and goes on when one is killed.
allowed_tools: [bash, mcp__fs__read_text_file, mcp__every__echo, "mcp__every__get-sum", "mcp__every__trigger-long-running-operation"]
---*/
export default async (ctx) => {
  const [note, echo, sum, shell] = await Promise.all([
    ctx.tool("mcp__fs__read_text_file", { path: "`+work+`/note.txt" }),
    ctx.tool("mcp__every__echo", { message: "hi" }),
    ctx.tool("mcp__every__get-sum", { a: 1, b: 2 }),
    ctx.bash("echo shell"),
  ])
  const thrown = {}
  try { await ctx.tool("mcp__fs__read_text_file", { path: "/etc/passwd" }) } catch (e) { thrown.denied = [e.name, e.code] }
  const long = ctx.tool("mcp__every__trigger-long-running-operation", { duration: 60, steps: 60 })
    .catch((e) => { thrown.killed = [e.name, e.code, e.message.includes("every")] })
  await ctx.bash("sleep 1; pkill -9 -f [s]erver-everything/dist/index.js || true")
  await long
  const again = await ctx.tool("mcp__every__echo", { message: "again" })
  return { note: note.data.content ?? note.data, echo: echo.data, sum: sum.output, shell, thrown, again: again.data }
}
`)
	cmd := exec.CommandContext(t.Context(), binary, "run", "both", "--timeout", "60s", "--config", "scriptrun.toml")
	cmd.Dir = work
	out, err := cmd.CombinedOutput()
	for _, want := range []string{
		`"note": "a note\n"`, `"echo": "Echo: hi"`, `"sum": "The sum of 1 and 2 is 3."`, `"shell": "shell\n"`, `"again": "Echo: again"`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %s", want)
		}
	}
	plain := strings.Join(strings.Fields(string(out)), "")
	for _, want := range []string{`"denied":["ToolError","failed"]`, `"killed":["ToolError","failed",true]`} {
		if !strings.Contains(plain, want) {
			t.Errorf("it does not say %s", want)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, out)
	}
	if left := running(t, filepath.Join(modules, "node/bin/node")); len(left) > 0 {
		t.Errorf("%s processes are left", strconv.Itoa(len(left)))
	}
}
