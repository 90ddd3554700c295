package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is a client of a server of its own in a folder, and what that says.
func served(t *testing.T, dir string, args ...string) (session *mcp.ClientSession, said *bufio.Reader) {
	t.Helper()
	return servedForHome(t, t.TempDir(), dir, args...)
}

// servedForHome is served for a user with that home.
func servedForHome(t *testing.T, home, dir string, args ...string) (session *mcp.ClientSession, said *bufio.Reader) {
	t.Helper()
	path, err := lookIn(os.Getenv("PATH"), "scriptrun")
	if err != nil {
		t.Fatal(err)
	}
	read, write := io.Pipe()
	cmd := exec.Command(path, append([]string{"serve"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="), write
	session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, read) }() // until the server has ended
		_ = session.Close()
		_ = write.Close()
	})
	return session, bufio.NewReader(read)
}

const plantedTool = "/*---\nkind: script\ndescription: It should not be here.\nallowed_tools: ['write(.git/config)']\n---*/\nexport default () => 1\n"

// TestServerOffersNoToolOfACommand: whatever its tools directory is like, a command does not make
// tools that the server offers.
func TestServerOffersNoToolOfACommand(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	for name, files := range map[string]map[string]string{
		"no directory": nil, "an empty one": {"tools/x/y": ""}, "another's": {"tools/build.py": "pass\n"}, "a broken tool": {"tools/b.js": "/*---\nkind: script\n:\n"},
		"servers": {"tools/s.md": "---\nkind: mcp\ncommand: /bin/true\n---\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folderOf(t, files)
			session, _ := served(t, dir, "--eval", "--allow", "bash")
			code := "return await ctx.bash(`mkdir -p tools; cat >tools/evil.js; ls tools`, {stdin: inputs.text})"
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": code, "inputs": map[string]any{"text": plantedTool}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "tools", "evil.js")); err == nil {
				t.Errorf("it stays: %+v", result.Content[0])
			}
		})
	}
}

// TestSessionsOfTheirOwnWriteNoTool: commands of a session with a workspace of its own make and
// change no tools, also where they may write in the folders around these.
func TestSessionsOfTheirOwnWriteNoTool(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	for name, tools := range map[string]string{"beside the workspace": "p/t", "in the workspace": "w/tools"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := filepath.Join(filepath.Dir(tools), "lib/m.js")
			dir := folderOf(t, map[string]string{"w/x": "", filepath.Join(tools, "good.js"): plantedTool, script: "export default () => 1\n", filepath.Join(tools, "m.md"): "---\nkind: script\ndescription: d\npath: lib/m.js\n---\n"})
			write := filepath.Join(dir, filepath.Dir(tools))
			settings := "[sandbox]\nwrite = ['" + write + "', '" + filepath.Join(dir, "w") + "']\n"
			if err := os.WriteFile(filepath.Join(dir, "c.toml"), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			session, _ := served(t, filepath.Join(dir, "w"), "--config", filepath.Join(dir, "c.toml"), "--tools", filepath.Join(dir, tools),
				"--session-workspaces", filepath.Join(dir, "sessions"), "--eval", "--allow", "bash")
			code := "return await ctx.bash(`echo mine >mine; cat mine; echo >'" + write + "/beside' && echo beside; cd '" + write + "'; " +
				"for f in '" + filepath.Join(dir, tools) + "/'evil.js '" + filepath.Join(dir, tools) + "/'good.js '" + filepath.Join(dir, script) + "'; do echo >>$f && echo wrote $f; done; true`)"
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": code}})
			if err != nil {
				t.Fatal(err)
			}
			said := result.Content[0].(*mcp.TextContent).Text //nolint:forcetypeassert // eval answers with text
			if !strings.Contains(said, "mine") || !strings.Contains(said, "beside") || strings.Contains(said, "wrote") {
				t.Errorf("it said %s", said)
			}
			if _, err := os.Lstat(filepath.Join(dir, tools, "evil.js")); err == nil {
				t.Error("it made a tool")
			}
			for _, file := range []string{filepath.Join(tools, "good.js"), script} {
				if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || strings.HasSuffix(string(text), "\n\n") {
					t.Errorf("%s is %q, %v", file, text, err)
				}
			}
		})
	}
}

// folderOf is a new folder with some files.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// offered are the names of the tools that a server has for its client, but for read_output, which it
// always has.
func offered(t *testing.T, session *mcp.ClientSession) (names []string) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name != "read_output" {
			names = append(names, tool.Name)
		}
	}
	return names
}

// begin has a server run code whose command makes the file begun, and waits for that. done is closed at
// its end.
func begin(ctx context.Context, t *testing.T, session *mcp.ClientSession, dir, code string) (done <-chan struct{}) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": code}}); err != nil {
			t.Error(err)
		}
	}()
	for _, err := os.Lstat(filepath.Join(dir, "begun")); err != nil && ctx.Err() == nil; _, err = os.Lstat(filepath.Join(dir, "begun")) {
		offered(t, session)
	}
	return ended
}

const script = "export default () => 1\n"

const ownTool = "/*---\nkind: script\ndescription: d\n---*/\nexport default () => 1\n"

// madeOf is a tool file whose script lies elsewhere.
func madeOf(script string) string {
	return "---\nkind: script\ndescription: d\npath: " + script + "\n---\n"
}

// TestServerTakesNoToolOfACommand: its script is there until the command ends, and then put away.
// Also where it outlives its run, as one that heeds no signal does.
func TestServerTakesNoToolOfACommand(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	const plant = "mkdir lib; echo 'export default () => 1' >lib/late.js; touch begun; "
	for name, code := range map[string]string{
		"while it runs":     "return await ctx.bash(`" + plant + "until [ -e end ]; do sleep 0.02; done`)",
		"after its run":     "void ctx.bash(`trap '' TERM; " + plant + "sleep 60; sleep 60`); while (!(await ctx.bash('ls')).includes('begun')); throw new Error('it ends')",
		"in the background": "await ctx.shell.start(`trap '' TERM; " + plant + "sleep 60; sleep 60`); while (!(await ctx.bash('ls')).includes('begun')); return 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folderOf(t, map[string]string{"tools/a.md": madeOf("lib/late.js"), "tools/b.js": ownTool})
			session, _ := served(t, dir, "--eval", "--allow", "bash")
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			done := begin(ctx, t, session, dir, code)
			if err := os.WriteFile(filepath.Join(dir, "tools", "c.js"), []byte(ownTool), 0o644); err != nil {
				t.Fatal(err)
			}
			if name == "while it runs" {
				// What the user removes goes at once.
				if err := os.Remove(filepath.Join(dir, "tools", "b.js")); err != nil {
					t.Fatal(err)
				}
				for got := offered(t, session); slices.Contains(got, "b") && ctx.Err() == nil; got = offered(t, session) {
					time.Sleep(time.Millisecond) // nothing tells
				}
				for range 100 { // b went while what was loaded waits for the command
					if got := offered(t, session); len(got) > 1 {
						t.Fatalf("%s are offered while the command runs", got)
					}
				}
				if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			<-done
			var got []string
			for got = offered(t, session); !slices.Contains(got, "c") && ctx.Err() == nil; got = offered(t, session) {
				time.Sleep(time.Millisecond) // nothing tells
			}
			if want := map[bool]string{true: "c eval", false: "b c eval"}[name == "while it runs"]; strings.Join(got, " ") != want {
				t.Errorf("%s are offered, want %s", got, want)
			}
		})
	}
}

// TestServerOffersNoToolThatCommandsCouldChange: what a tool that comes later is made of outside the
// directory was open to commands. The others are loaded.
func TestServerOffersNoToolThatCommandsCouldChange(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(dir string) error{
		"a file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "lib", "b.js"), []byte(script), 0o644) },
		"a link": func(dir string) error { return os.Symlink("a.js", filepath.Join(dir, "lib", "b.js")) },
		"through a folder": func(dir string) error {
			return errors.Join(os.Symlink("lib", filepath.Join(dir, "far")), os.Link(filepath.Join(dir, "lib", "a.js"), filepath.Join(dir, "lib", "b.js")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folderOf(t, map[string]string{"tools/a.md": madeOf("lib/a.js"), "lib/a.js": script})
			session, said := served(t, dir)
			if got := offered(t, session); !slices.Equal(got, []string{"a"}) {
				t.Fatal(got)
			}
			if err := lay(dir); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"b.md": madeOf(map[bool]string{true: "far/b.js", false: "lib/b.js"}[name == "through a folder"]), "c.js": ownTool} {
				if err := os.WriteFile(filepath.Join(dir, "tools", name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			text, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, "tools/b.md: it is made of") || !strings.Contains(text, "/b.js") || !strings.Contains(text, "start the server again") {
				t.Errorf("the server says %q", text)
			}
			var got []string
			for got = offered(t, session); !slices.Contains(got, "c") && ctx.Err() == nil; got = offered(t, session) {
				time.Sleep(time.Millisecond) // nothing tells
			}
			if !slices.Equal(got, []string{"a", "c"}) {
				t.Error(got)
			}
		})
	}
}

// TestNothingWritesWhereToolsAreServedFrom: a workspace that lies among the tools, or is their
// directory, is only read: by the server itself and by other processes, by commands and by tools.
func TestNothingWritesWhereToolsAreServedFrom(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	const code = "const said = [(await ctx.tool('bash', {command: `cat good.js ../good.js >/dev/null 2>&1 || cat good.js; echo >evil.js; echo >>part.js; true`})).output];" +
		"for (const path of ['evil.js', 'part.js']) said.push((await ctx.tool('write', {path, content: 'x'})).output); return said"
	lay := func(t *testing.T) (dir, home string) {
		t.Helper()
		return folderOf(t, map[string]string{"p/t/good.js": ownTool, "p/t/sub/good.js": "1", "p/t/sub/part.js": "1", "p/t/part.js": "1", "o/good.js": "1"}), t.TempDir()
	}
	held := func(t *testing.T, dir, said string) {
		t.Helper()
		for _, file := range []string{"evil.js", "part.js", "sub/evil.js", "sub/part.js"} {
			text, err := os.ReadFile(filepath.Join(dir, "p/t", file))
			if made := strings.HasSuffix(file, "evil.js"); made == (err == nil) || !made && string(text) != "1" {
				t.Errorf("%s is %q, %v\n%s", file, text, err, said)
			}
		}
	}
	for name, workspace := range map[string]string{"the directory itself": "p/t", "a folder in it": "p/t/sub"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, home := lay(t)
			session, said := servedForHome(t, home, filepath.Join(dir, workspace), "--tools", filepath.Join(dir, "p/t"), "--eval", "--allow", "bash", "--allow", "write")
			if line, err := said.ReadString('\n'); err != nil || !strings.Contains(line, "nothing writes there") {
				t.Errorf("it says %q, %v", line, err)
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": code}})
			if err != nil || result.IsError {
				t.Fatalf("%+v, %v", result, err)
			}
			held(t, dir, result.Content[0].(*mcp.TextContent).Text) //nolint:forcetypeassert // eval answers with text
		})
		for other, args := range map[string][]string{"by another process": nil, "by one that may write around it": {"--config", "c.toml"}} {
			t.Run(name+" "+other, func(t *testing.T) {
				t.Parallel()
				dir, home := lay(t)
				session, _ := servedForHome(t, home, filepath.Join(dir, "o"), "--tools", filepath.Join(dir, "p/t"))
				offered(t, session) // it has begun
				path, err := lookIn(os.Getenv("PATH"), "scriptrun")
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), path, append([]string{"eval", "--allow", "bash", "--allow", "write", code}, args...)...)
				cmd.Dir, cmd.Env = filepath.Join(dir, workspace), append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=")
				if args != nil {
					cmd.Dir = filepath.Join(dir, "o")
					line := "cd '" + filepath.Join(dir, workspace) + "' && { echo >evil.js; echo >>part.js; true; }"
					cmd.Args = append([]string{path, "eval", "--allow", "bash", "await ctx.tool('bash', {command: inputs.line})", "line=" + line}, args...)
					if err := os.WriteFile(filepath.Join(cmd.Dir, "c.toml"), []byte("[sandbox]\nwrite = ['"+filepath.Join(dir, "p")+"']\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				held(t, dir, string(out))
			})
		}
	}
}

// TestToolsOfWhatCommandsMayChangeAreNotRun: a module that nobody sees before it is loaded, because of
// how its import is written, is open to commands.
func TestToolsOfWhatCommandsMayChangeAreNotRun(t *testing.T) {
	t.Parallel()
	path, err := lookIn(os.Getenv("PATH"), "scriptrun")
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, dir string, args ...string) (string, error) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, append([]string{"run", "m"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for name, body := range map[string]string{
		"a long comment": "import z from /*" + strings.Repeat(" ", 5000) + "*/ './z.js'\nexport default () => z\n",
		"in parentheses": "import y from './y.js'\nexport default () => y\n",
		"the top":        "// it was taken from" + strings.Repeat("\n// a long comment goes on and on and on", 40) + "\nimport z from './src/z.js'\nexport default () => z\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"tools/m.md": madeOf("lib/m.ts"), "lib/m.ts": body, "lib/z.js": "export default 42\n", "lib/y.js": "module.exports = (require)('./w.js')\n", "lib/w.js": "module.exports = 42\n", "lib/src/z.js": "export default 42\n"}
			dir := folderOf(t, files)
			out, err := run(t, dir)
			for _, args := range [][]string{{"run", "tools/m.md"}, {"check"}, {"check", "tools/m.md"}} {
				cmd := exec.CommandContext(t.Context(), path, args...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
				if out, err := cmd.CombinedOutput(); (err == nil) != (name == "the top") || name != "the top" && !strings.Contains(string(out), "commands may change") {
					t.Errorf("%q: %v: %s", args, err, out)
				}
			}
			if plain := name == "the top"; plain != (err == nil) || plain && !strings.Contains(out, "42") || !plain && !strings.Contains(out, "commands may change") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	t.Run("through links that stay", func(t *testing.T) {
		t.Parallel()
		dir := folderOf(t, map[string]string{"real/tools/m.md": madeOf("lib/m.js"), "real/other/m.js": "import z from './z.js'\nexport default () => z\n", "real/other/z.js": "export default 42\n"})
		if err := errors.Join(os.Symlink("real", filepath.Join(dir, "link")), os.Symlink("chain", filepath.Join(dir, "real", "lib")), os.Symlink("other", filepath.Join(dir, "real", "chain"))); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--workspace", filepath.Join(dir, "link"), "--tools", filepath.Join(dir, "link", "tools")}, nil} {
			if out, err := run(t, filepath.Join(dir, "link"), args...); err != nil || !strings.Contains(out, "42") {
				t.Errorf("%v: %s", err, out)
			}
			cmd := exec.CommandContext(t.Context(), path, "eval", "--allow", "bash", "await ctx.tool('bash', {command: 'rm lib; rm chain; mv other o; true'})") //nolint:gosec // as it is
			cmd.Dir, cmd.Env = filepath.Join(dir, "link"), append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	})
}
