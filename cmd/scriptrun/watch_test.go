package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// watched is a tool that runs with --watch.
type watched struct {
	t     *testing.T
	dir   string
	lines *bufio.Scanner // of stdout
	end   context.CancelFunc
	code  chan int
}

// watch runs a command with --watch; its output goes to a pipe, and stderr to errs.
func watch(t *testing.T, files map[string]string, e env, args ...string) *watched {
	t.Helper()
	w := &watched{t: t, dir: t.TempDir(), code: make(chan int, 1)}
	for name, text := range files {
		w.write(name, text)
	}
	out, in := io.Pipe()
	var ctx context.Context
	ctx, w.end = context.WithCancel(t.Context())
	w.lines = bufio.NewScanner(out)
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "DIR", w.dir)
	}
	e.args, e.stdin, e.stdout = append(slices.Clone(args), "--watch"), strings.NewReader(""), in
	e.interrupted = func() (context.Context, context.CancelFunc) { return ctx, func() {} }
	go func() {
		w.code <- run(e)
		_ = in.Close() // it never fails
	}()
	return w
}

func (w *watched) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil { // as editors do
		w.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		w.t.Fatal(err)
	}
}

// next is the next line that was printed.
func (w *watched) next() string {
	w.t.Helper()
	if !w.lines.Scan() {
		w.t.Fatalf("there is no further line: %v", w.lines.Err())
	}
	return w.lines.Text()
}

// stop ends it as Ctrl-C does, and returns what was still printed.
func (w *watched) stop() (rest string) {
	w.t.Helper()
	w.end()
	for w.lines.Scan() {
		rest += w.lines.Text() + "\n"
	}
	if code := <-w.code; code != exitCancelled {
		w.t.Errorf("exit code %d", code)
	}
	return rest
}

const writes = `/*---
kind: script
description: d
allowed_tools: [write]
---*/
async function run(ctx) { await ctx.write("out.js.txt", String(Math.random())); return `

// TestWatchRunsAgainWhenAFileChanges: and not when the run itself writes files; a broken file
// shows its error, and the next change runs it again.
func TestWatchRunsAgainWhenAFileChanges(t *testing.T) {
	t.Parallel()
	script := func(value string) string { return "export default function run() { return " + value + " }\n" }
	for name, c := range map[string]struct{ changed, before, after, arg string }{
		"file":                  {"x.js", writes + "1 }", writes + "2 }", "DIR/x.js"},
		"name":                  {"tools/x.js", writes + "1 }", writes + "2 }", "x"},
		"script of a .md file":  {"scripts/s.js", script("1"), script("2"), "DIR/tools/m.md"},
		"script of a .md, name": {"scripts/s.js", script("1"), script("2"), "m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var errs strings.Builder
			w := watch(t, map[string]string{
				c.changed: c.before, "tools/m.md": "---\nkind: script\ndescription: d\npath: scripts/s.js\n---\n",
				"scripts/s.js": c.before,
			}, env{stderr: &errs}, "run", "--json", "--workspace", "DIR", "--tools", "DIR/tools", c.arg)
			report := func() (r struct {
				Outcome string
				Value   int
				Error   struct{ Message string }
			}) {
				t.Helper()
				line := w.next()
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				return r
			}
			if r := report(); r.Outcome != "ok" || r.Value != 1 {
				t.Errorf("first: %+v", r)
			}
			w.write(c.changed, c.after)
			if r := report(); r.Outcome != "ok" || r.Value != 2 {
				t.Errorf("after a change: %+v", r)
			}
			w.write(c.changed, c.before+" ) broken")
			if r := report(); r.Outcome == "ok" || !strings.Contains(r.Error.Message, filepath.Base(c.changed)) {
				t.Errorf("broken: %+v", r)
			}
			w.write(c.changed, c.before)
			if r := report(); r.Outcome != "ok" || r.Value != 1 {
				t.Errorf("mended: %+v", r)
			}
			if rest := w.stop(); rest != "" || errs.Len() > 0 {
				t.Errorf("more was printed: %s%s", rest, &errs)
			}
		})
	}
}

// TestWatchChecksAgainWhenAFileChanges: also a new one, and the script of a .md file.
func TestWatchChecksAgainWhenAFileChanges(t *testing.T) {
	t.Parallel()
	const good, bad = "export default () => 1;\n", "export default () => ;\n"
	header := "/*---\nkind: script\ndescription: d\n---*/\n"
	var errs strings.Builder
	w := watch(t, map[string]string{
		"tools/a.js": header + good, "tools/m.md": "---\nkind: script\ndescription: d\npath: scripts/s.js\n---\n", "scripts/s.js": bad,
	}, env{stderr: &errs}, "check", "--json", "--workspace", "DIR", "--tools", "DIR/tools", "DIR/tools")
	wants := func(when, sound string, broken int) {
		t.Helper()
		var c checked
		if err := json.Unmarshal([]byte(w.next()), &c); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range c.Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != sound || c.broken() != broken {
			t.Errorf("%s: sound are %q, %d are broken: %v", when, got, c.broken(), c.Findings)
		}
	}
	wants("first", "a", 1)
	w.write("scripts/s.js", good)
	wants("mended", "a m", 0)
	w.write("tools/b.js", header+bad)
	wants("a new one", "a m", 1)
	w.write("scripts/s.js", bad)
	wants("broken again", "a", 2)
	if rest := w.stop(); rest != "" || errs.Len() > 0 {
		t.Errorf("more was printed: %s%s", rest, &errs)
	}
}

// TestWatchOnATerminalSaysWhenAndHow: a line after each run separates it from the next; Ctrl-C
// ends a run that is under way, and the watch with it.
func TestWatchOnATerminalSaysWhenAndHow(t *testing.T) {
	t.Parallel()
	term := &screen{want: "  > log: waits\n", seen: make(chan struct{})}
	w := watch(t, map[string]string{"x.js": writes + "1 }"}, env{stderr: term, terminal: true, width: func() int { return 80 }}, "run", "DIR/x.js", "--workspace", "DIR")
	if got := w.next(); got != "1" {
		t.Errorf("%q", got)
	}
	w.write("x.js", writes+`(console.log("waits"), await new Promise((f) => setTimeout(f, 20_000))) }`)
	<-term.seen
	w.stop()
	if text := term.String(); !regexp.MustCompile(`(?s)x: ok in .*\nscriptrun: \d\d:\d\d:\d\d ok, runs again when a file changes; Ctrl-C ends\n.*  > log: waits\n.*x: cancelled`).MatchString(text) || strings.Count(text, "runs again") != 1 {
		t.Errorf("%q", text)
	}
}

// TestWatchCannotReadStdinAgain: inputs from stdin are refused.
func TestWatchCannotReadStdinAgain(t *testing.T) {
	t.Parallel()
	var errs strings.Builder
	code := run(env{
		args: []string{"run", "--watch", "x", "--input", "-"}, stdin: strings.NewReader("{}"), stdout: io.Discard, stderr: &errs,
		interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	})
	if code != exitUsage || !strings.Contains(errs.String(), "--input @file") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}
