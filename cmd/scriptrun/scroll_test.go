package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// watchedOnATerminal runs a script that waits for a file "go", which is made once
// a text has been drawn.
func watchedOnATerminal(t *testing.T, until, script string, more ...string) (code int, out, drawn string) {
	t.Helper()
	dir := t.TempDir()
	term := &screen{want: until, seen: make(chan struct{})}
	go func() {
		<-term.seen
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	var stdout bytes.Buffer
	code = run(env{
		args:  append([]string{"eval", script, "--allow", "bash", "--workspace", dir}, more...),
		stdin: strings.NewReader(""), stdout: &stdout, stderr: term, terminal: true, width: func() int { return 80 },
		interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	})
	return code, stdout.String(), term.String()
}

const awaitGo = `while [ ! -e go ]; do sleep 0.01; done`

// TestTerminalShowsOutputAsItComes: a terminal shows a command's output while it runs, each
// line marked as the command's, whatever it holds.
func TestTerminalShowsOutputAsItComes(t *testing.T) {
	t.Parallel()
	code, out, drawn := watchedOnATerminal(t, "  > bash: building\n", `await ctx.bash("echo building; printf 'eval: ok in 1ms\\nerror: 10%%\\r20%%\\r\\n' >&2; `+awaitGo+
		`; printf '\\033[31mred\\033[0m \\033]0;title\\007 a\\342\\200\\256b'"); return "done"`)
	if code != exitOK || out != "done\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, drawn)
	}
	for _, want := range []string{"  > bash: eval: ok in 1ms\n", "  > bash: 20%\n", "  > bash: red \uFFFD]0;title\uFFFD a\uFFFDb\n"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("%q is not in %q", want, drawn)
		}
	}
	ours := 0
	for line := range strings.SplitSeq(drawn, "\n") {
		if strings.HasPrefix(line[strings.LastIndex(line, "\x1b[K")+1:], "[Keval: ok in") || strings.HasPrefix(line, "eval: ok in") {
			ours++
		}
	}
	if ours != 1 {
		t.Errorf("%d lines look like the headline: %q", ours, drawn)
	}
}

// TestTerminalShowsLogsAsTheyCome: logs of a script are shown at once, and once.
func TestTerminalShowsLogsAsTheyCome(t *testing.T) {
	t.Parallel()
	code, _, drawn := watchedOnATerminal(t, "  > warn: first\n", `console.warn("first"); await ctx.bash("`+awaitGo+`"); console.log("last\n\u001bx"); return 1`)
	if code != exitOK || strings.Count(drawn, "  > warn: first\n") != 1 || strings.Count(drawn, "  > log: last\n  > \uFFFDx\n") != 1 {
		t.Errorf("exit code %d, %q", code, drawn)
	}
	// What was not shown is written in the end, as ever.
	code, _, drawn = watchedOnATerminal(t, "eval", `for (let i = 0; i < 5; i++) console.log(String(i).repeat(20000)); await ctx.bash("`+awaitGo+`"); return 1`, "--json")
	if code != exitOK || !strings.Contains(drawn, strings.Repeat("0", 20000)) {
		t.Errorf("exit code %d, %d bytes", code, len(drawn))
	}
}

// TestScrollIsBounded: output that waits for a terminal is bounded, and dropped lines are
// counted.
func TestScrollIsBounded(t *testing.T) {
	t.Parallel()
	var s scroll
	for i := range 1000 {
		s.output("bash", hostapi.CallOutput{Seq: 1, Stream: "stdout", Data: fmt.Appendf(nil, "%d %s\n", i, strings.Repeat("x", 1000))})
	}
	text := s.take()
	shown := strings.Count(text, "  > bash: ")
	if want := fmt.Sprintf("  > scriptrun: … %d lines are not shown here …\n", 1000-shown); len(text) > maxScrolled+200 || !strings.HasSuffix(text, want) {
		t.Errorf("%d bytes, %q", len(text), text[len(text)-200:])
	}
	// A line without an end is shown all the same, and what an observer missed.
	s.output("bash", hostapi.CallOutput{Seq: 1, Stream: "stdout", Data: []byte(strings.Repeat("é", maxUnended))})
	s.output("bash", hostapi.CallOutput{Seq: 1, Stream: "stdout", Dropped: 7})
	s.output("bash", hostapi.CallOutput{Seq: 1, Stream: "stderr", Data: []byte("open")})
	s.end()
	text = s.take()
	if !strings.Contains(text, "  > bash: … 7 bytes are not shown here …\n") || strings.Count(text, "é") != maxUnended || !strings.HasSuffix(text, "  > bash: open\n") || len(s.unended) != 0 {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	s.log(runtime.Entry{Level: "log", Text: strings.Repeat("x", 2*maxScrolled)})
	if !s.logs {
		t.Error("a log that was left out is not remembered")
	}
}
