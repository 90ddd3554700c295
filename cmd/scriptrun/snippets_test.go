package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/scripttools"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the output that docs/ shows, and its generated parts")

// snippet is a fenced block of a page.
type snippet struct {
	line int
	kind string // the word behind the fence
	file string // what the sentence before it calls it: "Write `tools/x.js`:"
	text string
}

var fileMention = regexp.MustCompile("`((?:~/)?[\\w./-]*\\.\\w+)`")

// snippets lists the fenced blocks of a page.
func snippets(page string) (all []snippet) {
	var sentence string // the paragraph that a block comes after
	var ended bool
	var open *snippet
	for i, line := range strings.Split(page, "\n") {
		kind, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &snippet{line: i + 1, kind: kind}
			if names := fileMention.FindAllStringSubmatch(sentence, -1); names != nil && strings.HasSuffix(sentence, ":") {
				open.file = names[len(names)-1][1]
			}
		case fence:
			all, open, sentence = append(all, *open), nil, ""
		case open != nil:
			open.text += line + "\n"
		case line == "":
			ended = true
		default:
			if ended {
				sentence, ended = "", false
			}
			sentence += " " + line
		}
	}
	if open != nil {
		all = append(all, snippet{line: open.line, kind: "a fence that is never closed"})
	}
	return all
}

// outside is a page without its fenced blocks.
func outside(page string) string {
	parts := strings.Split(page, "\n```")
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
	}
	return b.String()
}

// TestDocsSnippets walks each page from its top to its end, as a reader would in an empty folder:
// files are written, commands run and print what the page shows, and settings and code are
// read by what reads them. A block of another kind is not tested, and so not allowed.
func TestDocsSnippets(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the pages show commands of a Unix shell")
	}
	tested := testedCode(t)
	pages(t, func(name, text string) {
		all := snippets(text)
		if len(all) == 0 {
			return
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(name), root+"/"), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, tested)
			var shown strings.Builder
			rest := text
			if i := strings.Index(outside(text), "\n    "); i >= 0 && strings.Contains(text, "\n```console\n") && filepath.Base(name) != "README.md" {
				t.Errorf("a block is indented, and not tested: put it into a fence: %.80q", outside(text)[i:])
			}
			for _, s := range all {
				before, after, _ := strings.Cut(rest, "```"+s.kind+"\n"+s.text)
				shown.WriteString(before + "```" + s.kind + "\n" + w.take(s))
				rest = after
			}
			shown.WriteString(rest)
			if *updateDocs && shown.String() != text {
				if err := os.WriteFile(name, []byte(shown.String()), 0o644); err != nil { //nolint:gosec // a page
					t.Fatal(err)
				}
			}
		})
	})
}

// walk is a reader at work.
type walk struct {
	t         *testing.T
	top       string // the folder that stands for /
	home, dir string // dir is where the commands run
	env       []string
	code      int    // the exit code of the command before
	tested    string // Go code that is in a test, without its white space
}

func newWalk(t *testing.T, tested string) *walk {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, top: top, home: filepath.Join(top, "home", "ann"), dir: filepath.Join(top, "src", "project"), tested: tested}
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

// take follows one block, and returns it as it should be.
func (w *walk) take(s snippet) string {
	fail := func(format string, args ...any) {
		w.t.Errorf("the block at line %d: %s", s.line, fmt.Sprintf(format, args...))
	}
	switch {
	case s.kind == "console":
		return w.console(s, fail)
	case s.kind == "go":
		if !strings.Contains(w.tested, squeeze(s.text)) {
			fail("this code is in no test:\n%s", s.text)
		}
		return s.text
	case s.kind == "diff" && s.file != "":
		old, changed := sides(s.text)
		text := read(w.t, w.path(s.file))
		if strings.Count(text, old) != 1 {
			fail("%s has these lines %d times:\n%s", s.file, strings.Count(text, old), old)
		}
		w.write(s.file, strings.Replace(text, old, changed, 1))
		return s.text
	case s.file != "":
		w.write(s.file, s.text)
	}
	switch s.kind {
	case "js", "md":
		if s.file == "" { // others are run, some of them to be refused
			w.load(s, fail)
		}
	case "toml":
		w.settings(s, fail)
	case "json":
		if !json.Valid([]byte(s.text)) {
			fail("it is not JSON")
		}
		if filepath.Base(s.file) == ".mcp.json" {
			w.connect(s, fail)
		}
	case "text":
		if s.file == "" {
			fail("the sentence before it names no file")
		}
	default:
		fail("%q is a kind that nothing tests; use console, js, md, toml, json, go, text, or diff after the name of a file", s.kind)
	}
	return s.text
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
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = w.dir, w.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // one pipe, so that the order is that of a terminal
	err := cmd.Run()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	w.code = cmd.ProcessState.ExitCode()
	return strings.ReplaceAll(out.String(), w.top, "")
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

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// testedCode is the Go code that tests run, or that is an example of its own.
func testedCode(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	goFiles(t, func(_, path string) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "examples") {
			all.WriteString(read(t, path) + "\n")
		}
	})
	return squeeze(all.String())
}
