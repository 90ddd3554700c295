package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileWorkspace has a tool that calls such a server.
func hostileWorkspace(t *testing.T, mode, at string) (dir string) {
	t.Helper()
	server, err := exec.LookPath("hostile-server")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range map[string]string{
		"tools/t.js": "/*---\nkind: script\ndescription: It calls.\nallowed_tools: [mcp__x__one]\nlimits: {timeoutMs: 60000}\n---*/\nexport default async (ctx) => (await ctx.tool('mcp__x__one', {})).output\n",
		"c.toml":     fmt.Sprintf("[[mcp_servers]]\nname = \"x\"\ncommand = %q\nargs = [%q, %q]\n", server, mode, at),
	} {
		if err := os.MkdirAll(filepath.Join(dir, "tools"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRunAndServeEndWithHostileServers: whatever an MCP server does, a signal ends run, with a
// report, and serve, and the MCP server with them.
func TestRunAndServeEndWithHostileServers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"pings", "nothing"} {
		for _, at := range []string{"initialize", "tools/list", "tools/call"} {
			for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
				for _, command := range []string{"run", "serve"} {
					t.Run(fmt.Sprintf("%s at %s, %v, %s", mode, at, sent, command), func(t *testing.T) {
						t.Parallel()
						endsWithHostileServer(t, hostileWorkspace(t, mode, at), sent, command)
					})
				}
			}
		}
	}
}

func endsWithHostileServer(t *testing.T, dir string, sent syscall.Signal, command string) {
	t.Helper()
	args := []string{"run", "t", "--json", "--config", "c.toml"}
	if command == "serve" {
		args = []string{"serve", "--config", "c.toml"}
	}
	cmd := exec.CommandContext(t.Context(), "scriptrun", args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if command == "serve" {
		if _, err := fmt.Fprintf(in, "%s\n%s\n", helloLine, strings.Replace(waitLine, `"wait"`, `"t"`, 1)); err != nil {
			t.Fatal(err)
		}
	}
	giveUp := time.Now().Add(patience)
	for _, err := os.Stat(filepath.Join(dir, "there")); err != nil; _, err = os.Stat(filepath.Join(dir, "there")) {
		if time.Now().After(giveUp) {
			t.Fatalf("the server was not asked: %s", errs.String())
		}
		time.Sleep(5 * time.Millisecond) // it is another process, which has nothing else to say
	}
	if err := cmd.Process.Signal(sent); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = cmd.Wait() // the exit code tells
	if took := time.Since(began); took > patience {
		t.Errorf("it ended after %v", took)
	}
	if code := cmd.ProcessState.ExitCode(); command == "run" && (code != exitCancelled || !strings.Contains(out.String(), `"outcome": "cancelled"`)) || code < 0 {
		t.Errorf("it exits with %d: %s%s", code, out.String(), errs.String())
	}
	if left := inFolder(t, dir); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// inFolder are the processes whose working folder is dir.
func inFolder(t *testing.T, dir string) (found []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == dir {
			found = append(found, link)
		}
	}
	return found
}

// TestLargeAnswerOfAServerTakesLittleMemory: 15 MB of small objects are not decoded.
func TestLargeAnswerOfAServerTakesLittleMemory(t *testing.T) {
	t.Parallel()
	dir := hostileWorkspace(t, "large", "tools/call")
	code, out := costs(t, dir, exec.CommandContext(t.Context(), buildCommand(t), "run", "t", "--config", "c.toml"))
	if code != exitFailed || !strings.Contains(out, "parts") {
		t.Errorf("exit code %d: %.500s", code, out)
	}
}
