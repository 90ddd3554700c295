package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// walk is a reader at work.
type walk struct {
	t         *testing.T
	top       string // the folder that stands for /
	home, dir string // dir is where the commands run
	env       []string
	code      int      // the exit code of the command before
	tested    string   // Go code that is in a test, without its white space
	readme    bool     // it is the README
	unused    []string // tool files that no command has named
}

func newWalk(t *testing.T, tested string, readme bool) *walk {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, top: top, home: filepath.Join(top, "home", "ann"), dir: filepath.Join(top, "src", "project"), tested: tested, readme: readme}
	bin := filepath.Join(top, "bin")
	for _, dir := range []string{w.home, w.dir, bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as a reader's are
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is scriptrun under that name; see TestMain.
	if err := os.Symlink(self, filepath.Join(bin, "scriptrun")); err != nil {
		t.Fatal(err)
	}
	w.env = append(os.Environ(), "HOME="+w.home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "SCRIPTRUN_TOKEN=", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	return w
}

// clone makes the folder one of this repository, as far as pages show it.
func (w *walk) clone() {
	for _, dir := range []string{"tools", "examples/agentdir"} {
		if err := os.CopyFS(filepath.Join(w.dir, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			w.t.Fatal(err)
		}
	}
	w.write("src/main.go", "package main\n\nfunc main() {} // TODO: all\n")
}

func (w *walk) path(file string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		return filepath.Join(w.home, rest)
	}
	return filepath.Join(w.dir, file)
}

func (w *walk) write(file, text string) {
	path := w.path(file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as a reader's are
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // as a reader's are
		w.t.Fatal(err)
	}
}

// sides are the lines of a diff before and after it.
func sides(diff string) (old, changed string) {
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			old += line[1:]
		}
		if line[0] != '-' {
			changed += line[1:]
		}
	}
	return old, changed
}

// console runs the lines that begin with "$ ", each of which prints what stands below it. A
// command that fails is followed by "$ echo $?".
func (w *walk) console(s snippet, fail func(string, ...any)) string {
	var shown strings.Builder
	for _, part := range strings.Split("\n"+s.text, "\n$ ")[1:] {
		line, want, _ := strings.Cut(part, "\n")
		want = endLine(want)
		if w.code != 0 && line != "echo $?" {
			fail("the command before %q exits with %d, which the page does not show by echo $?", line, w.code)
		}
		got := endLine(w.run(line))
		if like(want, got) {
			got = want
		} else if !*updateDocs {
			fail("%s prints\n%s\nand the page shows\n%s", line, got, want)
		}
		fmt.Fprintf(&shown, "$ %s\n%s", line, got)
	}
	if w.code != 0 {
		fail("the last command exits with %d, which the page does not show by echo $?", w.code)
		w.code = 0
	}
	if shown.Len() == 0 {
		fail("no line begins with $")
	}
	return shown.String()
}

// endLine ends a text with a line break, as the next prompt does on a page.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// run runs one command line, and returns what a reader sees of it.
func (w *walk) run(line string) string {
	if dir, ok := strings.CutPrefix(line, "cd "); ok {
		w.dir = filepath.Join(w.dir, dir)
		return ""
	}
	if line == "echo $?" {
		code := w.code
		w.code = 0
		return fmt.Sprintln(code)
	}
	w.unused = slices.DeleteFunc(w.unused, func(file string) bool {
		return strings.Contains(line, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	})
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = w.dir, w.env
	if strings.HasPrefix(line, "scriptrun serve --http 127.0.0.1:") {
		return w.listens(cmd)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // one pipe, so that the order is that of a terminal
	err := cmd.Run()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	w.code = cmd.ProcessState.ExitCode()
	return strings.ReplaceAll(out.String(), w.top, "")
}

// listens runs a server until it says where it listens, on a port of its own: that of the page
// may be in use.
func (w *walk) listens(cmd *exec.Cmd) string {
	last := len(cmd.Args) - 1
	cmd.Args[last] = "exec " + regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(cmd.Args[last], "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, _ := bufio.NewReader(stderr).ReadString('\n')
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code tells
	w.code = cmd.ProcessState.ExitCode()
	return line
}

// like reports whether the output is what the page shows. There … stands for the rest of a
// line, and alone in its line for any lines.
func like(page, output string) bool {
	varying := regexp.MustCompile(`\b(\d+(\.\d+)?(ms|µs|s)|[0-9a-f]{64}|[A-Z2-7]{26})\b`) // from run to run
	page, output = varying.ReplaceAllString(page, "~"), varying.ReplaceAllString(output, "~")
	var pattern strings.Builder
	for line := range strings.Lines(page) {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	return regexp.MustCompile("^" + pattern.String() + "$").MatchString(output)
}

// load loads a tool file, or one that declares a server.
func (w *walk) load(s snippet, fail func(string, ...any)) {
	dir := w.t.TempDir()
	for file, text := range map[string]string{"tool." + s.kind: s.text, "scripts/count.js": "export default () => 1"} {
		(&walk{t: w.t, dir: dir}).write(file, text)
	}
	if strings.Contains(s.text, "kind: mcp") {
		if servers, err := scripttools.LoadServers(scripttools.Dir{Path: dir}); err != nil || len(servers) != 1 {
			fail("%v", err)
		}
		return
	}
	if _, err := scripttools.LoadFile(w.t.Context(), newTestRunner(w.t), filepath.Join(dir, "tool."+s.kind), dir); err != nil {
		fail("%v", err)
	}
}

// settings reads settings.
func (w *walk) settings(s snippet, fail func(string, ...any)) {
	if base := filepath.Base(s.file); s.file != "" && base != "config.toml" && base != settings.ProjectFile {
		fail("%s is no file of settings", s.file)
	}
	file := filepath.Join(w.t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(s.text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if _, err := settings.Load(settings.Sources{Only: file, Workspace: w.dir}); err != nil {
		fail("%v", err)
	}
}

// connect starts the servers of an agent's configuration as the agent would, and asks for their tools.
func (w *walk) connect(s snippet, fail func(string, ...any)) {
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(s.text), &config); err != nil || len(config.MCPServers) == 0 {
		fail("it names no server: %v", err)
	}
	for name, server := range config.MCPServers {
		cmd := exec.CommandContext(w.t.Context(), "sh", append([]string{"-c", `exec "$0" "$@"`, server.Command}, server.Args...)...)
		cmd.Dir, cmd.Env = w.dir, w.env
		session, err := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil).Connect(w.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			fail("%s: %v", name, err)
			continue
		}
		if tools, err := session.ListTools(w.t.Context(), nil); err != nil || len(tools.Tools) == 0 {
			fail("%s offers no tool: %v", name, err)
		}
		_ = session.Close() // it ends the server
	}
}
