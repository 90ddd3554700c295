package shell_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// A command on a terminal has it as its streams and as its own, of the size that
// was asked for; what it writes is one stream, and it ends as others do.
func TestCommandOnATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, line, want string
		args             map[string]any
		outcome          hostapi.Outcome
	}{
		{"streams", `[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty && echo e >&2 && echo t >/dev/tty`, "/dev/pts/0\r\ne\r\nt\r\n", nil, hostapi.OutcomeOK},
		{"the usual size", "stty size", "24 80\r\n", nil, hostapi.OutcomeOK},
		{"a size", "stty size", "7 133\r\n", map[string]any{"cols": 133, "rows": 7}, hostapi.OutcomeOK},
		{"stdin is typed, and ends", "cat; echo over", "a\r\nba\r\nbover\r\n", map[string]any{"stdin": "a\nb"}, hostapi.OutcomeOK},
		{"no stdin is an end", "cat; echo over", "over\r\n", nil, hostapi.OutcomeOK},
		{"a kind", `[ -n "$TERM" ] && echo "$TERM"`, "linux\r\n", map[string]any{"env": map[string]any{"TERM": "linux"}}, hostapi.OutcomeOK},
		{"a failure", "exit 3", "", nil, hostapi.OutcomeFailed},
		{"a long output", "seq 20000 | tail -c 7; seq 100000 >/dev/tty", "", nil, hostapi.OutcomeOK},
		{"somebody stays on it", "sleep 60 & echo gone", "gone\r\n", nil, hostapi.OutcomeOK},
		{"a deadline", "trap '' HUP; sleep 60", "", map[string]any{"timeoutMs": 3000}, hostapi.OutcomeTimeout},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			args := map[string]any{"command": c.line, "pty": true}
			for key, value := range c.args {
				args[key] = value
			}
			result, got, err := invoke(t.Context(), t, newTool(t), args, 2<<20)
			if err != nil || result.Outcome != c.outcome || got.Stderr != "" {
				t.Errorf("%s %q, %+v, %v", result.Outcome, result.Output, got, err)
			}
			if c.want != "" && (got.Stdout != c.want || result.Output != c.want) {
				t.Errorf("it wrote %q, not %q", got.Stdout, c.want)
			}
			if c.what == "a long output" && !strings.HasSuffix(got.Stdout, "\r\n99999\r\n100000\r\n") {
				t.Errorf("it ends in %.40q", got.Stdout[max(len(got.Stdout)-40, 0):])
			}
		})
	}
}

// Somebody types at a command in the background, and changes the size.
func TestTypingAtACommand(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": `trap 'stty size' WINCH; stty -echo; echo ready; while read -r x; do echo "got $x"; done; echo over; exec sleep 60`, "pty": true})
	next := int64(0)
	expect := func(want string) {
		t.Helper()
		for text := ""; !strings.Contains(text, want); {
			got := b.waitOutput(next)
			if text += got.Output; !got.Running {
				t.Fatalf("it ended with %q", text)
			}
			next = got.Next
		}
	}
	expect("ready\r\n")
	b.write("one\n")
	expect("got one\r\n")
	if result, err := b.operate(t.Context(), "resize", map[string]any{"cols": 100, "rows": 30}); err != nil || result.Outcome != hostapi.OutcomeOK {
		t.Fatalf("%+v, %v", result, err)
	}
	b.write("two\n") // bash runs a trap when read has returned
	expect("30 100\r\n")
	if _, err := b.operate(t.Context(), "resize", map[string]any{"cols": 0, "rows": 1001}); err == nil {
		t.Error("a terminal of no columns")
	}
	if result, err := b.operate(t.Context(), "closeInput", map[string]any{}); err != nil || result.Outcome != hostapi.OutcomeOK {
		t.Fatalf("%+v, %v", result, err)
	}
	expect("over\r\n")
	if result, err := b.operate(t.Context(), "kill", map[string]any{"signal": "INT"}); err != nil || result.Outcome != hostapi.OutcomeOK {
		t.Fatalf("%+v, %v", result, err)
	}
	result, err := b.operate(t.Context(), hostapi.OperationWait, nil)
	if err != nil || result.Signal != "SIGINT" {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err := b.operate(t.Context(), "resize", map[string]any{"cols": 1, "rows": 1}); err != nil || result.Outcome != hostapi.OutcomeFailed {
		t.Errorf("a terminal that is gone: %+v, %v", result, err)
	}
}

// Ctrl-C that is typed interrupts what runs in the foreground.
func TestInterruptThatIsTyped(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": `echo ready; exec sleep 60`, "pty": true})
	b.waitOutput(0)
	b.write("\x03")
	if result, err := b.operate(t.Context(), hostapi.OperationWait, nil); err != nil || result.Signal != "SIGINT" {
		t.Errorf("%+v, %v", result, err)
	}
}

// A terminal that nobody reads from holds up whoever types, until the run ends.
func TestTypingAtACommandThatDoesNotRead(t *testing.T) {
	t.Parallel()
	b := inBackground(t, newTool(t), 0, map[string]any{"command": `stty raw -echo; echo ready; exec sleep 60`, "pty": true})
	b.waitOutput(0)
	ctx, cancel := context.WithCancel(t.Context())
	blocked := make(chan error)
	go func() {
		for {
			if _, err := b.operate(ctx, "write", map[string]any{"text": strings.Repeat("x\n", 64<<10)}); err != nil {
				blocked <- err
				return
			}
		}
	}()
	select {
	case err := <-blocked:
		t.Errorf("it was typed: %v", err)
	case <-time.After(200 * time.Millisecond): // long enough for what there is room for
	}
	cancel()
	if err := <-blocked; err == nil {
		t.Error("it was typed")
	}
}

// A call that asks for what cannot be is told so.
func TestTerminalThatCannotBe(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, args := range []map[string]any{{"command": "true", "cols": 80}, {"command": "true", "pty": true, "cols": 1001}, {"command": "true", "pty": true, "rows": -1}} {
		if _, _, err := invoke(t.Context(), t, tool, args, 0); err == nil {
			t.Errorf("%v was run", args)
		}
	}
	c := line(t, "true")
	c.Pty = &sandbox.Size{Cols: 80}
	if _, err := newLocal(t).Create(t.Context(), c); err == nil {
		t.Error("a terminal of no rows")
	}
	b := inBackground(t, tool, 0, map[string]any{"command": "read -r x", "input": true})
	if result, err := b.operate(t.Context(), "resize", map[string]any{"cols": 1, "rows": 1}); err != nil || !strings.Contains(result.Output, "start it with {pty: true}") {
		t.Errorf("%+v, %v", result, err)
	}
}

// Off the sandbox too, and the terminals of a box are its own: there is none of
// the host's, and each is gone with its command.
func TestTerminalsOfEveryProfile(t *testing.T) {
	t.Parallel()
	for _, profile := range []shell.Profile{shell.ProfileOff, shell.ProfileWorkspace, shell.ProfileReadOnly} {
		t.Run(string(profile), func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			tool.Sandbox.Profile = profile
			for range 3 {
				_, got, err := invoke(t.Context(), t, tool, map[string]any{"command": "tty; ls /dev/pts | wc -l; stty -a | grep -c icanon", "pty": true}, 0)
				// The one before may be there for a moment more.
				alone := strings.HasSuffix(got.Stdout, "\r\n2\r\n1\r\n") || strings.HasSuffix(got.Stdout, "\r\n3\r\n1\r\n")
				if err != nil || got.ExitCode != 0 || !strings.HasPrefix(got.Stdout, "/dev/pts/") || profile != shell.ProfileOff && !alone {
					t.Errorf("%+v, %v", got, err)
				}
			}
		})
	}
}
