package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// screen is a terminal that reports when a text has been drawn on it.
type screen struct {
	mu    sync.Mutex
	drawn bytes.Buffer
	want  string
	seen  chan struct{}
	once  sync.Once
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn.Write(p)
	if strings.Contains(s.drawn.String(), s.want) {
		s.once.Do(func() { close(s.seen) })
	}
	return len(p), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn.String()
}

// TestLiveLine: on a terminal a line says what the run is doing, and is removed afterwards.
func TestLiveLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	term := &screen{want: "1 call · bash · 2/9 half\uFFFD way", seen: make(chan struct{})}
	var out bytes.Buffer
	go func() {
		<-term.seen
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
			t.Error(err)
		}
	}()
	code := run(env{
		args:  []string{"eval", `ctx.progress({done: 2, total: 9, message: "half\u001b way"}); await ctx.bash("while [ ! -e go ]; do sleep 0.01; done"); return "done"`, "--allow", "bash", "--workspace", dir},
		stdin: strings.NewReader(""), stdout: &out, stderr: term, terminal: true, width: func() int { return 80 },
		interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	})
	text := term.String()
	if code != exitOK || out.String() != "done\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), text)
	}
	cleared := strings.LastIndex(text, "\r\x1b[K")
	if cleared < 0 || !strings.HasPrefix(text[cleared:], "\r\x1b[Keval: ok in ") {
		t.Errorf("the line is still there: %q", text)
	}
}

// TestValueOnATerminal: a script's value cannot move the cursor, and is unchanged in a pipe.
func TestValueOnATerminal(t *testing.T) {
	t.Parallel()
	for terminal, want := range map[bool]string{true: "a\uFFFD[31mb\tc\n", false: "a\u001b[31mb\tc\n"} {
		var out, errOut bytes.Buffer
		code := run(env{
			args:  []string{"eval", `return "a\u001b[31mb\tc"`},
			stdin: strings.NewReader(""), stdout: &out, stderr: &errOut, terminalOut: terminal,
			interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
		})
		if code != exitOK || out.String() != want {
			t.Errorf("terminal %t: exit code %d, stdout %q, stderr %q", terminal, code, out.String(), errOut.String())
		}
	}
}

// TestNoLiveLineInAPipe: in a pipe there is none.
func TestNoLiveLineInAPipe(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	code := run(env{
		args:  []string{"eval", `ctx.progress({message: "x"}); await new Promise((f) => setTimeout(f, 150)); return 1`},
		stdin: strings.NewReader(""), stdout: &out, stderr: &errOut,
		interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	})
	if code != exitOK || out.String() != "1\n" || errOut.Len() != 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), errOut.String())
	}
}

// Ctrl-C ends the wait for inputs that never come.
func TestInterruptedInputs(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"eval", "return 1", "--input", "-"}, {"eval", "-"}} {
		reader, writer := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		var out, errOut bytes.Buffer
		code := run(env{
			args: append(args, "--json"), stdout: &out, stderr: &errOut,
			stdin:       readerFunc(func(p []byte) (int, error) { cancel(); return reader.Read(p) }),
			interrupted: func() (context.Context, context.CancelFunc) { return ctx, cancel },
		})
		if err := writer.Close(); err != nil { // lets the reader go
			t.Error(err)
		}
		if code != exitCancelled || !strings.Contains(out.String(), `"outcome": "cancelled"`) {
			t.Errorf("%v: exit code %d, %s%s", args, code, &out, &errOut)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// An answer that cannot be written is no success.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"eval", "return 1"}, {"eval", "return 1", "--json"}} {
		var errOut bytes.Buffer
		code := run(env{
			args: args, stdin: strings.NewReader(""), stderr: &errOut,
			stdout:      writerFunc(func([]byte) (int, error) { return 0, errors.New("no space left") }),
			interrupted: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
		})
		if code != exitFailed || !strings.Contains(errOut.String(), "no space left") {
			t.Errorf("%v: exit code %d, %s", args, code, &errOut)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
