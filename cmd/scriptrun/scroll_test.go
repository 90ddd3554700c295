package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	if code != exitOK || !strings.Contains(strings.ReplaceAll(drawn, "\n  >   ", ""), strings.Repeat("0", 20000)) {
		t.Errorf("exit code %d, %d bytes", code, len(drawn))
	}
}

// slowScreen is a terminal on which a drawing ends when the test says so.
type slowScreen struct {
	begins chan string
	ends   chan struct{}
}

func (s *slowScreen) Write(p []byte) (int, error) {
	s.begins <- string(p)
	<-s.ends
	return len(p), nil
}

// TestTerminalShowsTheFirstLineAtOnce: a line is drawn as soon as it is there, the ones after it
// together within 50 ms, and a terminal that takes nothing delays nobody. The line below appears
// after 100 ms, so that a short run does not flicker.
func TestTerminalShowsTheFirstLineAtOnce(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"log", "output"} {
		synctest.Test(t, func(t *testing.T) {
			term := &slowScreen{begins: make(chan string), ends: make(chan struct{})}
			live := newLiveLine(env{terminal: true, screen: term, width: func() int { return 80 }})
			say := func(text string) {
				if what == "log" {
					live.logged(runtime.Entry{Level: "log", Text: text})
				} else {
					live.callOutput(hostapi.CallOutput{Tool: "log", Seq: 1, Stream: "stdout", Data: []byte(text + "\n")})
				}
			}
			began := time.Now()
			draws := func(after time.Duration, want string) {
				t.Helper()
				if got := <-term.begins; got != want || time.Since(began) != after {
					t.Errorf("%s: after %v: %q", what, time.Since(began), got)
				}
			}
			live.start("x")
			say("first")
			draws(0, "\r\x1b[K  > log: first\n")
			term.ends <- struct{}{}
			say("second")
			say("third")
			draws(outputEvery, "\r\x1b[K  > log: second\n  > log: third\n")
			term.ends <- struct{}{}
			draws(liveEvery, "\r\x1b[K\x1b[?7lx 0.1s\x1b[?7h")
			term.ends <- struct{}{}
			say("fourth")
			draws(liveEvery+outputEvery, "\r\x1b[K  > log: fourth\n\x1b[?7lx 0.1s\x1b[?7h") // 0.15 s are rounded down
			for i := range 1000 {
				say(strconv.Itoa(i))
			}
			go func() {
				defer close(term.begins)
				live.stop()
			}()
			term.ends <- struct{}{}
			drawn := ""
			for text := range term.begins {
				drawn += text
				term.ends <- struct{}{}
			}
			if strings.Count(drawn, "  > log: ") != 1000 {
				t.Errorf("%s: %d lines", what, strings.Count(drawn, "  > log: "))
			}
		})
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
