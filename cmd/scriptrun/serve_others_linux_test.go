package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOtherProcessesKnowWhatIsServed: their commands put no tool there either.
func TestOtherProcessesKnowWhatIsServed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	dir, home := folderOf(t, map[string]string{"kit/x/y": ""}), t.TempDir()
	session, _ := servedForHome(t, home, dir, "--tools", "kit")
	offered(t, session) // it has begun
	path, err := lookIn(os.Getenv("PATH"), "scriptrun")
	if err != nil {
		t.Fatal(err)
	}
	plant := func() string {
		cmd := exec.CommandContext(t.Context(), path, "eval", "--allow", "bash", "await ctx.tool('bash', {command: `cat >kit/evil.js; echo x >free`, stdin: inputs.text})", "text="+plantedTool)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=")
		out, err := cmd.CombinedOutput()
		if _, free := os.Lstat(filepath.Join(dir, "free")); err != nil || free != nil {
			t.Fatalf("%v, %v\n%s", err, free, out)
		}
		return string(out)
	}
	said := plant()
	if _, err := os.Lstat(filepath.Join(dir, "kit", "evil.js")); err == nil {
		t.Errorf("it is there: %s", said)
	}
	_ = session.Close()
	said = plant()
	if _, err := os.Lstat(filepath.Join(dir, "kit", "evil.js")); err != nil {
		t.Errorf("where nothing is served it is a file like any other: %v\n%s", err, said)
	}
}

// TestOtherProcessesHoldWhatIsServed: what came while the server runs, what its tools turn out to be made of, and where
// only settings let commands write.
func TestOtherProcessesHoldWhatIsServed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	dir, home := folderOf(t, map[string]string{"p/kit/a.js": ownTool, "p/none/x": "", "w/x": ""}), t.TempDir()
	project := filepath.Join(dir, "p")
	session, _ := servedForHome(t, home, filepath.Join(dir, "w"), "--tools", filepath.Join(project, "kit"))
	offered(t, session) // it has begun
	for name, text := range map[string]string{"lib/n.js": "export default () => 1\n", "kit/n.md": madeOf("lib/n.js")} {
		writeText(t, filepath.Join(project, name), text)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for !slices.Contains(offered(t, session), "n") && ctx.Err() == nil {
		time.Sleep(time.Millisecond) // nothing tells
	}
	settings := "[sandbox]\nwrite = ['" + filepath.Join(project, "kit") + "', '" + filepath.Join(dir, "free") + "']\n"
	writeText(t, filepath.Join(dir, "c.toml"), settings)
	writeText(t, filepath.Join(dir, "free", "x"), "")
	path, err := lookIn(os.Getenv("PATH"), "scriptrun")
	if err != nil {
		t.Fatal(err)
	}
	for workspace, files := range map[string][]string{project: {"lib/n.js", "kit/evil.js", "free.js"}, filepath.Join(dir, "w"): {project + "/kit/evil.js", project + "/kit/a.js", dir + "/free/free.js"}} {
		line := "for f in " + strings.Join(files, " ") + "; do echo >>$f && echo wrote $f; done; true"
		cmd := exec.CommandContext(t.Context(), path, "eval", "--config", filepath.Join(dir, "c.toml"), "--tools", filepath.Join(project, "none"), "--allow", "bash", "return await ctx.bash(inputs.line)", "line="+line)
		cmd.Dir, cmd.Env = workspace, append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=")
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "wrote ") != 1 || !strings.Contains(string(out), "free.js") {
			t.Errorf("in %s: %v\n%s", workspace, err, out)
		}
	}
}

// TestServerTakesNoToolOfACommandOfOthers: another process of the user, such as the server of a second
// agent, runs the command; what it leaves is put away when it ends.
func TestServerTakesNoToolOfACommandOfOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	home, dir := t.TempDir(), folderOf(t, map[string]string{"tools/a.md": madeOf("lib/late.js"), "tools/b.js": ownTool, "none/x/y": ""})
	session, said := servedForHome(t, home, dir)
	offered(t, session) // it has begun
	other, _ := servedForHome(t, home, dir, "--tools", "none", "--eval", "--allow", "bash")
	code := "return await ctx.bash(`mkdir lib; echo 'export default () => 1' >lib/late.js; touch begun; until [ -e end ]; do sleep 0.02; done`)"
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	done := begin(ctx, t, other, dir, code)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("tools/c.js", ownTool)
	told := make(chan string, 1)
	go func() {
		line, err := said.ReadString('\n')
		for err == nil && !strings.Contains(line, "taken when no command is under way") {
			line, err = said.ReadString('\n')
		}
		told <- line
	}()
	for line := ""; line == ""; {
		select {
		case line = <-told:
		default:
		}
		if got := offered(t, session); !slices.Equal(got, []string{"b"}) {
			t.Fatalf("%s are offered while the command runs", got)
		}
	}
	put("end", "")
	<-done
	var got []string
	for got = offered(t, session); !slices.Contains(got, "c") && ctx.Err() == nil; got = offered(t, session) {
		time.Sleep(time.Millisecond) // nothing tells
	}
	if !slices.Equal(got, []string{"b", "c"}) {
		t.Error(got)
	}
}

// TestServerBeginsWithNoToolOfACommandOfOthers: it starts while a command of another process is under
// way, which has made a module that comes before the one that is meant.
func TestServerBeginsWithNoToolOfACommandOfOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // not each machine gives others a view of their own
	}
	home, dir := t.TempDir(), folderOf(t, map[string]string{
		"tools/a.md": madeOf("lib/a.js"), "lib/a.js": "import z from './z'\nexport default () => z\n", "lib/z.js": "export default 'good'\n", "none/x/y": "", "tools/b.js": ownTool,
	})
	other, _ := servedForHome(t, home, dir, "--tools", "none", "--eval", "--allow", "bash")
	code := "return await ctx.bash(`echo \"export default 'planted'\" >lib/z.ts; touch begun; until [ -e end ]; do sleep 0.02; done`)"
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	done := begin(ctx, t, other, dir, code)
	session, said := servedForHome(t, home, dir)
	if line, err := said.ReadString('\n'); err != nil || !strings.Contains(line, "came or changed while a command of another scriptrun is under way") {
		t.Errorf("it says %q, %v", line, err)
	}
	if got := offered(t, session); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%s are offered while the command runs", got)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "lib/z.ts")), os.WriteFile(filepath.Join(dir, "end"), nil, 0o600)); err != nil { // as it is put away where the other process knows of the tool
		t.Fatal(err)
	}
	<-done
	var got []string
	for got = offered(t, session); len(got) < 2 && ctx.Err() == nil; got = offered(t, session) {
		time.Sleep(time.Millisecond) // nothing tells
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
	if err != nil || result.Content[0].(*mcp.TextContent).Text != "good" { //nolint:forcetypeassert // a tool answers with text
		t.Errorf("%s are offered; a gives %+v, %v", got, result, err)
	}
}

// TestAServerThatIsMovedStartsNoCommand: what it protects it knows by paths.
func TestAServerThatIsMovedStartsNoCommand(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string]string{"w/tools/a.js": ownTool})
	session, said := served(t, filepath.Join(dir, "w"), "--eval", "--allow", "bash")
	offered(t, session) // it has begun
	if err := os.Rename(filepath.Join(dir, "w"), filepath.Join(dir, "v")); err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "eval", Arguments: map[string]any{"code": "return await ctx.bash(`echo >tools/evil.js`)"}})
	if err != nil || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "start scriptrun again") { //nolint:forcetypeassert // eval answers with text
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "v/tools/evil.js")); err == nil {
		t.Error("it made a tool")
	}
	// What is protected is where it was, for commands of other processes too.
	if err := os.WriteFile(filepath.Join(dir, "v/tools/late.js"), []byte(ownTool), 0o600); err != nil {
		t.Fatal(err)
	}
	for line := ""; !strings.Contains(line, "another folder than when the server began"); {
		if line, err = said.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if got := offered(t, session); slices.Contains(got, "late") {
		t.Errorf("%s are offered", got)
	}
}
