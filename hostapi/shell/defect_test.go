//go:build unix

package shell_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// The cases below compare terminals with defect's ShellBackend. The numbers
// are those of that comparison; "WD" are its weaknesses, and what stands there
// is our answer.

var defectCases = []struct {
	id, what string
	holds    func(*testing.T, *shell.Local)
}{
	{"4a-01", "one command a terminal, by a shell, with no stdin, in the directory given", func(t *testing.T, local *shell.Local) {
		c := line(t, "cat; pwd -P; echo a | tr a b")
		dir, err := filepath.EvalSymlinks(c.Context.Cwd())
		if err != nil {
			t.Fatal(err)
		}
		out, status := finished(t, local, c)
		if status.ExitCode != 0 || out != dir+"\nb\n" {
			t.Errorf("%q, %+v", out, status)
		}
	}},
	{"4a-02", "ids are opaque and never twice", func(t *testing.T, local *shell.Local) {
		seen := map[shell.TerminalID]bool{}
		for range 50 {
			id, err := local.Create(t.Context(), line(t, "true"))
			if err != nil || seen[id] || len(id) < 20 {
				t.Fatalf("%q, %v", id, err)
			}
			seen[id] = true
			if err := local.Release(id); err != nil {
				t.Error(err)
			}
		}
	}},
	{"4a-03 WD3", "output is a snapshot, with the line that has no end yet", func(t *testing.T, local *shell.Local) {
		id := started(t, local, `printf 'a\r\nprompt> '; echo > ready; sleep 60`)
		for range 2 {
			if out := until(t, local, id, "prompt> "); string(out.Both.Head) != "a\r\nprompt> " || out.Status != nil {
				t.Errorf("%+v", out)
			}
		}
	}},
	{"4a-04", "many wait, and late ones are answered at once", func(t *testing.T, local *shell.Local) {
		id := started(t, local, "echo > ready; exit 4")
		var waiting sync.WaitGroup
		for range 5 {
			waiting.Go(func() {
				if status, err := local.Wait(t.Context(), id); err != nil || status.ExitCode != 4 {
					t.Errorf("%+v, %v", status, err)
				}
			})
		}
		waiting.Wait()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if status, err := local.Wait(over, id); err != nil || status.ExitCode != 4 {
			t.Errorf("after the end: %+v, %v", status, err)
		}
	}},
	{"4a-05", "a code or a signal, by its name", func(t *testing.T, local *shell.Local) {
		for _, name := range []string{"HUP", "INT", "QUIT", "ABRT", "KILL", "PIPE", "ALRM", "TERM", "USR1", "SEGV"} {
			if _, status := finished(t, local, line(t, "exec sh -c 'kill -"+name+" $$'")); status.Signal != "SIG"+name || status.ExitCode != -1 {
				t.Errorf("%s: %+v", name, status)
			}
		}
		for _, code := range []string{"0", "1", "42", "255"} {
			if _, status := finished(t, local, line(t, "exit "+code)); status.Signal != "" || status.ExitCode < 0 {
				t.Errorf("%s: %+v", code, status)
			}
		}
	}},
	{"4a-06", "kill ends it, keeps what it wrote, and may come twice", func(t *testing.T, local *shell.Local) {
		id := started(t, local, "echo kept; echo > ready; sleep 60")
		until(t, local, id, "kept")
		for range 2 {
			if err := local.Kill(id, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
		status, err := local.Wait(t.Context(), id)
		if out := until(t, local, id, "kept"); err != nil || status.Signal != "SIGKILL" || out.Status.Signal != "SIGKILL" {
			t.Errorf("%+v, %v", status, err)
		}
	}},
	{"4a-07 4a-08", "release ends it; twice, or of what never was, is no error; then it is not found", func(t *testing.T, local *shell.Local) {
		id := started(t, local, "echo > ready; sleep 60")
		for _, id := range []shell.TerminalID{id, id, "never"} {
			if err := local.Release(id); err != nil {
				t.Error(err)
			}
		}
		_, outErr := local.Output(id, 0)
		_, waitErr := local.Wait(t.Context(), id)
		for _, err := range []error{outErr, waitErr, local.Kill(id, syscall.SIGKILL)} {
			if !errors.Is(err, shell.ErrNotFound) {
				t.Errorf("got %v", err)
			}
		}
	}},
	{"4a-09", "what cannot start is an error with its cause", func(t *testing.T, local *shell.Local) {
		var start *shell.StartError
		c := line(t, "true")
		c.Context = c.Context.WithCwd(filepath.Join(c.Context.Cwd(), "nowhere"))
		if _, err := local.Create(t.Context(), c); !errors.As(err, &start) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a directory that is not there: %v", err)
		}
		c = line(t, "")
		c.Argv = []string{"no-such-program"}
		if _, err := local.Create(t.Context(), c); !errors.As(err, &start) || start.Program != "no-such-program" {
			t.Errorf("a program that is not there: %v", err)
		}
	}},
	{"4a-10 WD4 WD5", "bounded, head and tail, exact counts, each stream on its own", func(t *testing.T, local *shell.Local) {
		c := line(t, "head -c 5000 /dev/zero | tr '\\0' a; head -c 3000 /dev/zero | tr '\\0' b >&2; echo end")
		c.Limits.OutputBytes = 1000
		id, err := local.Create(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := local.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		out, err := local.Output(id, 0)
		if err != nil || out.Stdout.Total != 5004 || out.Stderr.Total != 3000 || out.Both.Total != 8004 || out.Both.Dropped != 7500 && out.Both.Dropped != 7504 || // each has half of the room; nobody knows whether "end" was read before the other stream
			out.Stdout.Dropped != 4504 || out.Stderr.Dropped != 2500 ||
			!strings.HasSuffix(string(out.Stdout.Tail), "aend\n") || !strings.HasPrefix(string(out.Stdout.Head), "aaa") {
			t.Errorf("%d %d %d %d, %v", out.Stdout.Total, out.Stderr.Total, out.Both.Total, out.Both.Dropped, err)
		}
		if err := local.Release(id); err != nil {
			t.Error(err)
		}
	}},
	{"4a-11", "a zero timeout, no command, and two of them are refused before anything starts", func(t *testing.T, local *shell.Local) {
		var start *shell.StartError
		for _, spoil := range []func(*shell.Command){
			func(c *shell.Command) { c.Limits.Timeout = 0 }, func(c *shell.Command) { c.Limits.Timeout = -1 },
			func(c *shell.Command) { c.Line = "" }, func(c *shell.Command) { c.Argv = []string{"true"} },
			func(c *shell.Command) { c.Limits.Grace = -1 }, func(c *shell.Command) { c.Limits.OutputBytes = -1 },
			func(c *shell.Command) { c.Limits.SpillBytes = -1 }, func(c *shell.Command) { c.Sandbox.Profile = "?" },
		} {
			c := line(t, "touch started")
			spoil(&c)
			if _, err := local.Create(t.Context(), c); !errors.As(err, &start) {
				t.Errorf("%+v: %v", c.Limits, err)
			}
			if _, err := os.Stat(filepath.Join(c.Context.Cwd(), "started")); err == nil {
				t.Error("it ran")
			}
		}
	}},
	{"4a-13 WD1 WD7", "a deadline ends the tree and keeps what it wrote", func(t *testing.T, local *shell.Local) {
		c := line(t, "echo before; sleep 60 | sleep 60")
		c.Limits.Timeout = 2 * time.Second
		if out, status := finished(t, local, c); !status.TimedOut || status.Cancelled || out != "before\n" {
			t.Errorf("%q, %+v", out, status)
		}
	}},
	{"4a-14 WD7", "a cancel ends the tree and keeps what it wrote", func(t *testing.T, local *shell.Local) {
		ctx, cancel := context.WithCancel(t.Context())
		id, err := local.Create(ctx, line(t, "echo before; sleep 60"))
		if err != nil {
			t.Fatal(err)
		}
		until(t, local, id, "before")
		cancel()
		status, err := local.Wait(t.Context(), id)
		if out := until(t, local, id, "before"); err != nil || !status.Cancelled || status.TimedOut || out.Status == nil {
			t.Errorf("%+v, %v", status, err)
		}
	}},
	{"4a-15", "a deadline counts over a code", func(t *testing.T, local *shell.Local) {
		c := line(t, "trap 'exit 0' TERM; sleep 60 & wait")
		c.Limits.Timeout = time.Second
		if _, status := finished(t, local, c); !status.TimedOut || status.ExitCode != 0 || status.Duration < c.Limits.Timeout {
			t.Errorf("%+v", status)
		}
	}},
	{"WD2", "bytes that are not text do not stop a command that writes on", func(t *testing.T, local *shell.Local) {
		id, err := local.Create(t.Context(), line(t, `printf '\377\n'; head -c 300000 /dev/zero; echo end`))
		if err != nil {
			t.Fatal(err)
		}
		status, err := local.Wait(t.Context(), id)
		out, outErr := local.Output(id, 0)
		if err != nil || outErr != nil || status.ExitCode != 0 || out.Stdout.Total != 300006 {
			t.Errorf("%+v, %v, %d", status, err, out.Stdout.Total)
		}
	}},
	{"WD6", "stdin, a grace, an environment of its own", func(t *testing.T, local *shell.Local) {
		c := line(t, "cat; env | grep -c .")
		c.Stdin = []byte("given\n")
		if out, _ := finished(t, local, c); !strings.HasPrefix(out, "given\n") || len(out) > len("given\n12\n") {
			t.Errorf("%q", out)
		}
	}},
	{"WD9", "terminals that were forgotten end with the backend", func(t *testing.T, _ *shell.Local) {
		local := new(shell.Local)
		id := started(t, local, "echo > ready; sleep 60")
		if err := local.Close(); err != nil {
			t.Error(err)
		}
		if _, err := local.Output(id, 0); !errors.Is(err, shell.ErrNotFound) {
			t.Errorf("got %v", err)
		}
		if _, status := finished(t, local, line(t, "exit 2")); status.ExitCode != 2 {
			t.Errorf("after close: %+v", status)
		}
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	}},
	{"WK4 WA17", "a child that holds the pipe does not hold the command", func(t *testing.T, local *shell.Local) {
		if out, status := finished(t, local, line(t, "echo done; sleep 60 &")); out != "done\n" || status.ExitCode != 0 || status.TimedOut {
			t.Errorf("%q, %+v", out, status)
		}
	}},
	{"WK5 WK6", "a spill leaves the code alone and loses nothing", func(t *testing.T, local *shell.Local) {
		c := line(t, "echo first; head -c 100000 /dev/zero; echo last; exit 3")
		c.Limits.OutputBytes, c.Limits.SpillDir = 1000, filepath.Join(t.TempDir(), "made", "for", "it")
		id, err := local.Create(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		status, err := local.Wait(t.Context(), id)
		out, outErr := local.Output(id, 0)
		if err != nil || outErr != nil || status.ExitCode != 3 {
			t.Fatalf("%+v, %v, %v", status, err, outErr)
		}
		text, err := os.ReadFile(out.Stdout.File)
		if err != nil || len(text) != 100011 || !strings.HasPrefix(string(text), "first\n") || !strings.HasSuffix(string(text), "last\n") || out.Stderr.File != "" {
			t.Errorf("%d bytes, %v, stderr in %q", len(text), err, out.Stderr.File)
		}
	}},
	{"WK7", "both streams are counted and bounded", func(t *testing.T, local *shell.Local) {
		c := line(t, "head -c 100000 /dev/zero >&2")
		c.Limits.OutputBytes = 1000
		id, err := local.Create(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := local.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if out, err := local.Output(id, 0); err != nil || out.Stderr.Total != 100000 || out.Stderr.Dropped != 99000 || out.SpillErr != nil {
			t.Errorf("%+v, %v", out.Stderr.Total, err)
		}
	}},
}

func TestDefectTerminals(t *testing.T) {
	t.Parallel()
	for _, c := range defectCases {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			c.holds(t, newLocal(t))
		})
	}
}

// finished runs a command to its end and returns what it wrote.
func finished(t *testing.T, local *shell.Local, command shell.Command) (string, shell.ExitStatus) {
	t.Helper()
	id, err := local.Create(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = local.Release(id) }()
	status, err := local.Wait(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	out, err := local.Output(id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Both.Head) + string(out.Both.Tail), status
}

// TestDefectTool: 4a-11, 4a-12, 4a-15 and 4a-16, what its tool promises over
// any backend. 4a-18, a title of 80 characters, is the terminal's: see the
// live line of the command.
func TestDefectTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, what string
		args     map[string]any
		outcome  hostapi.Outcome
		says     string
	}{
		{"4a-11", "a timeout of zero", map[string]any{"command": "true", "timeoutMs": 0}, "", "timeoutMs"},
		{"4a-11", "a timeout over the most; it is refused, not lowered", map[string]any{"command": "true", "timeoutMs": 600001}, "", "timeoutMs"},
		{"4a-11", "no command", map[string]any{}, "", "expected command"},
		{"4a-12", "a directory outside", map[string]any{"command": "true", "cwd": ".."}, hostapi.OutcomeNotStarted, "outside the workspace"},
		{"4a-13", "a deadline is a result", map[string]any{"command": "echo x; sleep 60", "timeoutMs": 3000}, hostapi.OutcomeTimeout, "timed out after 3s"},
		{"4a-15", "a code is a result", map[string]any{"command": "exit 9"}, hostapi.OutcomeFailed, ""},
		{"4a-15", "a signal is a result", map[string]any{"command": "kill -TERM $$"}, hostapi.OutcomeSignaled, "ended by SIGTERM"},
	} {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			backend := &counting{Local: newLocal(t)}
			tool := newTool(t)
			tool.Timeout, tool.Backend = 0, backend
			result, _, err := invoke(t.Context(), t, tool, c.args, 0)
			said := result.Output
			if err != nil {
				said = err.Error()
			}
			if (err == nil) != (c.outcome != "") || result.Outcome != c.outcome || !strings.Contains(said, c.says) {
				t.Errorf("%s, %q, %v", result.Outcome, said, err)
			}
			if !slices.Equal(backend.created, backend.released) {
				t.Errorf("4a-16: created %q, released %q", backend.created, backend.released)
			}
		})
	}
	t.Run("4a-16 released on a panic too", func(t *testing.T) {
		t.Parallel()
		backend := &counting{Local: newLocal(t), panics: true}
		tool := newTool(t)
		tool.Backend = backend
		if result, _, err := invoke(t.Context(), t, tool, map[string]any{"command": "sleep 60"}, 0); err != nil || !strings.Contains(result.Output, "panicked") {
			t.Errorf("%+v, %v", result, err)
		}
		if len(backend.created) != 1 || !slices.Equal(backend.created, backend.released) {
			t.Errorf("created %q, released %q", backend.created, backend.released)
		}
	})
}

// counting is a backend that notes what is created and released.
type counting struct {
	*shell.Local
	panics            bool
	created, released []shell.TerminalID
}

func (c *counting) Create(ctx context.Context, command shell.Command) (shell.TerminalID, error) {
	id, err := c.Local.Create(ctx, command)
	if err == nil {
		c.created = append(c.created, id)
	}
	return id, err
}

func (c *counting) Wait(ctx context.Context, id shell.TerminalID) (shell.ExitStatus, error) {
	if c.panics {
		panic("of the backend")
	}
	return c.Local.Wait(ctx, id)
}

func (c *counting) Release(id shell.TerminalID) error {
	c.released = append(c.released, id)
	return c.Local.Release(id)
}

// TestKeelRun compares ctx.shell.run's tool with keel's shell.run, as above;
// "WL" are keel's weaknesses. 5a-11 and 5a-12, who may call it at all, are the
// gate's: an allow-list that does not name the tool grants nothing.
func TestKeelRun(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789abcdef", 40_000)
	for _, c := range []struct {
		id, what string
		args     map[string]any
		holds    func(hostapi.Result, answer, error) bool
	}{
		{"5a-01 5a-14", "the keys are always there", map[string]any{"command": "true"}, func(r hostapi.Result, _ answer, _ error) bool {
			return strings.HasPrefix(string(r.Data), `{"stdout":"","stderr":"","exitCode":0,"signal":"","timedOut":false,"truncated":false,"durationMs":`)
		}},
		{"5a-02", "a command of another type", map[string]any{"command": 7}, func(_ hostapi.Result, _ answer, err error) bool {
			return errors.Is(err, hostapi.ErrInvalidArgs)
		}},
		{"5a-03", "pipes and redirects", map[string]any{"command": "echo b a | tr ' ' '\\n' | sort > f; cat f"}, stdoutIs("a\nb\n")},
		{"5a-04", "a code is data", map[string]any{"command": "exit 42"}, func(_ hostapi.Result, a answer, err error) bool { return err == nil && a.ExitCode == 42 }},
		{"5a-05 WL4", "a signal has no code, and a name", map[string]any{"command": "kill -9 $$"}, func(_ hostapi.Result, a answer, _ error) bool {
			return a.ExitCode == -1 && a.Signal == "SIGKILL"
		}},
		{"5a-06", "what cannot start did not start", map[string]any{"argv": []string{"no-such-program"}}, func(r hostapi.Result, _ answer, err error) bool {
			return err == nil && r.Outcome == hostapi.OutcomeNotStarted
		}},
		{"5a-07", "stdin is written and closed", map[string]any{"command": "cat", "stdin": "ünï\n"}, stdoutIs("ünï\n")},
		{"5a-07", "absent, it is null", map[string]any{"command": "cat"}, stdoutIs("")},
		{"5a-08", "the directory is checked", map[string]any{"command": "true", "cwd": "/tmp"}, func(r hostapi.Result, _ answer, _ error) bool {
			return r.Outcome == hostapi.OutcomeNotStarted
		}},
		{"5a-09 WL5", "the environment of a call", map[string]any{"command": "echo $X", "env": map[string]string{"X": "1"}}, stdoutIs("1\n")},
		{"5a-10 WL8", "text keeps its end, bytes their value", map[string]any{"command": `printf 'a\n\377'`}, func(_ hostapi.Result, a answer, _ error) bool {
			return a.StdoutEncoding == "base64" && a.Stdout == "YQr/"
		}},
		{"5a-13 WL1", "an endless output ends, bounded", map[string]any{"command": "cat /dev/zero", "timeoutMs": 3000}, func(r hostapi.Result, a answer, _ error) bool {
			return a.TimedOut && a.Truncated && len(a.Stdout) <= 64<<10 && len(r.Data) <= 7*64<<10 // six bytes of JSON for a NUL
		}},
		{"WL2", "large input and large output at once", map[string]any{"command": "cat", "stdin": big}, func(r hostapi.Result, a answer, _ error) bool {
			return a.ExitCode == 0 && r.Bytes == int64(len(big))
		}},
		{"WL3", "an input that nobody reads is no failure", map[string]any{"command": "exit 5", "stdin": big}, func(_ hostapi.Result, a answer, err error) bool {
			return err == nil && a.ExitCode == 5
		}},
		{"WL6", "words that are no shell's", map[string]any{"argv": []string{"printf", "%s|", "a b", "$HOME; exit 9", "*"}}, stdoutIs("a b|$HOME; exit 9|*|")},
	} {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			if result, got, err := invoke(t.Context(), t, tool, c.args, 0); !c.holds(result, got, err) {
				t.Errorf("%s, %+v, %v", result.Outcome, got, err)
			}
		})
	}
	t.Run("WL7 a call that is dropped ends its command", func(t *testing.T) {
		t.Parallel()
		tool := newTool(t)
		if err := syscall.Mkfifo(filepath.Join(tool.Dir, "ready"), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		tag := tormentTag()
		go func() {
			f, err := os.Open(filepath.Join(tool.Dir, "ready"))
			if err == nil {
				_, _ = io.ReadAll(f)
				_ = f.Close()
			}
			cancel()
		}()
		_, _, _ = invoke(ctx, t, tool, map[string]any{"command": "echo > ready; sleep " + tag}, 0)
		if left := tagged(tag); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

func stdoutIs(want string) func(hostapi.Result, answer, error) bool {
	return func(_ hostapi.Result, a answer, err error) bool {
		return err == nil && a.Stdout == want && a.ExitCode == 0
	}
}
