//go:build unix

package shell_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

func line(t *testing.T, text string) shell.Command {
	t.Helper()
	name, value, _ := strings.Cut(trace, "=")
	return shell.Command{
		Line:    text,
		Context: shell.ExecContext{}.WithCwd(t.TempDir()).WithEnv("PATH", os.Getenv("PATH")).WithEnv(name, value),
		Limits:  shell.Limits{Timeout: time.Minute, Grace: 200 * time.Millisecond},
	}
}

// started creates a terminal and waits until its command opens "ready".
func started(t *testing.T, local *shell.Local, text string) shell.TerminalID {
	t.Helper()
	command := line(t, text)
	fifo := filepath.Join(command.Context.Cwd(), "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := local.Create(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Release(id) })
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(f) // to its end, or the command is ended by SIGPIPE
	_ = f.Close()
	return id
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	local := newLocal(t)
	id := started(t, local, "printf partial; echo > ready; sleep 60")
	out := until(t, local, id, "partial")
	if out.Status != nil {
		t.Errorf("it has ended already: %+v", out.Status)
	}
	again, err := local.Output(id, 4)
	if err != nil || string(again.Both.Head) != "ial" || again.Both.Total != 7 || string(again.Stdout.Head) != "partial" {
		t.Errorf("from byte 4 on: %+v, %v", again, err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if _, err := local.Wait(waiting, id); !errors.Is(err, context.Canceled) {
		t.Errorf("wait without patience: %v", err)
	}

	var waiters sync.WaitGroup
	for range 3 {
		waiters.Go(func() {
			status, err := local.Wait(t.Context(), id)
			if err != nil || status.Signal != "SIGKILL" || status.ExitCode != -1 || status.TimedOut || status.Cancelled || status.Duration <= 0 {
				t.Errorf("status %+v, %v", status, err)
			}
		})
	}
	for range 2 {
		if err := local.Kill(id, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	waiters.Wait()
	if err := local.Kill(id, syscall.SIGKILL); err != nil {
		t.Errorf("kill after the end: %v", err)
	}
	if out, err := local.Output(id, 0); err != nil || string(out.Both.Head) != "partial" || out.Status == nil {
		t.Errorf("after the end: %+v, %v", out, err)
	}
	for range 2 {
		if err := local.Release(id); err != nil {
			t.Errorf("release: %v", err)
		}
	}
	_, outErr := local.Output(id, 0)
	_, waitErr := local.Wait(t.Context(), id)
	for _, err := range []error{outErr, waitErr, local.Kill(id, syscall.SIGTERM), local.Kill("never", syscall.SIGTERM)} {
		if !errors.Is(err, shell.ErrNotFound) {
			t.Errorf("released: %v, want ErrNotFound", err)
		}
	}
}

// until reads output until it holds the text, which its command has written.
func until(t *testing.T, local *shell.Local, id shell.TerminalID, text string) shell.Output {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		out, err := local.Output(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out.Both.Head)+string(out.Both.Tail), text) {
			return out
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q never came: %+v", text, out)
		}
	}
}

func TestKillWithTERM(t *testing.T) {
	t.Parallel()
	local := newLocal(t)
	obeys := started(t, local, "echo > ready; sleep 60")
	defies := started(t, local, "trap '' TERM; echo > ready; while :; do sleep 60; done")
	for id, want := range map[shell.TerminalID]string{obeys: "SIGTERM", defies: "SIGKILL"} {
		if err := local.Kill(id, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if status, err := local.Wait(t.Context(), id); err != nil || status.Signal != want || status.TimedOut || status.Cancelled {
			t.Errorf("status %+v, %v; want %s", status, err, want)
		}
	}
}

func TestOneTERM(t *testing.T) {
	t.Parallel()
	local := newLocal(t)
	id := started(t, local, "trap 'echo told' TERM; echo > ready; sleep 60 & wait; sleep 0.1; exit 4")
	if err := local.Kill(id, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	out, err := local.Output(id, 0)
	if err != nil || strings.Count(string(out.Stdout.Head), "told") != 1 {
		t.Errorf("it was told %q, %v", out.Stdout.Head, err)
	}
}

func TestReleaseAndClose(t *testing.T) {
	t.Parallel()
	local := newLocal(t)
	one := started(t, local, "echo > ready; setsid sleep 60 & wait")
	if err := local.Release(one); err != nil {
		t.Fatal(err)
	}
	two := started(t, local, "echo > ready; sleep 60")
	started(t, local, "echo > ready; sleep 60")
	done := make(chan shell.ExitStatus, 1)
	go func() {
		status, _ := local.Wait(t.Context(), two) // its error shows as a zero status
		done <- status
	}()
	if err := local.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Wait(t.Context(), two); !errors.Is(err, shell.ErrNotFound) {
		t.Fatalf("after Close: %v", err)
	}
	// The waiter came before Close or after; either way it is answered.
	if status := <-done; status != (shell.ExitStatus{}) && !status.Cancelled {
		t.Errorf("status %+v", status)
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	local := newLocal(t)
	ok := line(t, "true")
	for name, change := range map[string]func(*shell.Command){
		"no timeout":       func(c *shell.Command) { c.Limits.Timeout = 0 },
		"negative grace":   func(c *shell.Command) { c.Limits.Grace = -1 },
		"nothing":          func(c *shell.Command) { c.Line = "" },
		"both":             func(c *shell.Command) { c.Argv = []string{"true"} },
		"missing dir":      func(c *shell.Command) { c.Context = c.Context.WithCwd(filepath.Join(c.Context.Cwd(), "x")) },
		"missing program":  func(c *shell.Command) { c.Line, c.Argv = "", []string{"no-such-program-here"} },
		"not a program":    func(c *shell.Command) { c.Line, c.Argv = "", []string{"/dev/null"} },
		"line is too long": func(c *shell.Command) { c.Line = "true " + strings.Repeat("x", 1<<20) },
	} {
		command := ok
		change(&command)
		_, err := local.Create(t.Context(), command)
		var start *shell.StartError
		if !errors.As(err, &start) || err.Error() == "" {
			t.Errorf("%s: %v, want a StartError", name, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := local.Create(ended, ok); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestExecContextIsAValue(t *testing.T) {
	t.Parallel()
	base := shell.ExecContext{}.WithEnv("A", "1")
	other := base.WithEnv("A", "2").WithEnv("B", "3").WithName("n").WithCwd("/x")
	if got := base.Env(); len(got) != 1 || got[0] != "A=1" || base.Name() != "" || base.Cwd() != "" {
		t.Errorf("the base changed: %v", got)
	}
	if got := other.Env(); len(got) != 2 || got[0] != "A=2" || got[1] != "B=3" || other.Name() != "n" || other.Cwd() != "/x" {
		t.Errorf("the other is %v", got)
	}
}

// stuck is a backend that never says how a command ended.
type stuck struct {
	*shell.Local
	released chan struct{}
}

func (s *stuck) Wait(ctx context.Context, _ shell.TerminalID) (shell.ExitStatus, error) {
	<-ctx.Done()
	return shell.ExitStatus{}, ctx.Err()
}

func (s *stuck) Release(id shell.TerminalID) error {
	defer close(s.released)
	return s.Local.Release(id)
}

func TestStuckBackendIsBounded(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Grace = -1
	backend := &stuck{Local: newLocal(t), released: make(chan struct{})}
	tool.Backend = backend
	result, _, err := invoke(t.Context(), t, tool, map[string]any{"command": "echo x; sleep 60", "timeoutMs": 3000}, 0)
	if err != nil || result.Outcome != hostapi.OutcomeTimeout {
		t.Errorf("%s, %v", result.Outcome, err)
	}
	<-backend.released
}
