package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// endsWithin is how long runs may last whose client has gone.
	endsWithin = 30 * time.Second
	// patience is for what is not measured, on a busy machine.
	patience = 2 * time.Minute
)

// waiting is a server with a call under way, whose command waits.
type waiting struct {
	t       *testing.T
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  *os.File
	answers *bufio.Reader // of stdout
	url     string        // over HTTP
	session string
	command string // by which its command is known in /proc
}

const (
	helloLine = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	waitLine  = `{"jsonrpc":"2.0","id":"the-call","method":"tools/call","params":{"name":"wait","arguments":{}}}`
)

func serveWaiting(t *testing.T, name string, args ...string) *waiting {
	t.Helper()
	dir := t.TempDir()
	w := &waiting{t: t, command: fmt.Sprintf("9%d.%d", os.Getpid(), len(name)+100*int(name[0])+int(time.Now().UnixNano()%1e6))}
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	tool := "/*---\nkind: script\nname: wait\ndescription: Waits.\nallowed_tools: [bash]\nlimits: {timeoutMs: 120000}\n---*/\n" +
		"export default async (ctx) => (await ctx.tool('bash', { command: 'sleep " + w.command + " & sleep " + w.command + "' })).output\n"
	if err := os.WriteFile(filepath.Join(dir, "tools", "wait.js"), []byte(tool), 0o600); err != nil {
		t.Fatal(err)
	}
	w.cmd = exec.Command("scriptrun", append([]string{"serve"}, args...)...) // it is ended by what is tested
	w.cmd.Dir = dir
	w.cmd.Env = append(os.Environ(), "HOME="+dir)
	var err error
	if w.stdin, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.cmd.Stdout, w.stdout, w.answers = theirs, out, bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it has ended, if all is well
		_ = w.cmd.Wait()
		_ = out.Close()
	})
	said := bufio.NewReader(stderr)
	if len(args) > 0 {
		line, err := said.ReadString('\n')
		found := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(line)
		if err != nil || found == nil {
			t.Fatal(line, err)
		}
		w.url = found[1]
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return w
}

// say writes a line to stdin.
func (w *waiting) say(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.stdin, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// post sends a request until ctx ends.
func (w *waiting) post(ctx context.Context, method, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
		r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return client.Do(r)
}

// begin makes the call, and waits until its command runs.
func (w *waiting) begin(ctx context.Context) (answered <-chan string) {
	w.t.Helper()
	answer := make(chan string, 1)
	if w.url == "" {
		w.say(helloLine)
		w.say(waitLine)
	} else {
		hello, err := w.post(ctx, http.MethodPost, helloLine)
		if err != nil {
			w.t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, hello.Body)
		_ = hello.Body.Close()
		w.session = hello.Header.Get("Mcp-Session-Id")
		ready, err := w.post(ctx, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if err != nil {
			w.t.Fatal(err)
		}
		_ = ready.Body.Close()
		go func() {
			response, err := w.post(ctx, http.MethodPost, waitLine)
			if err != nil {
				answer <- err.Error()
				return
			}
			defer response.Body.Close()
			text, _ := io.ReadAll(response.Body) // what came before it was cut off
			answer <- string(text)
		}()
	}
	w.until("the command is there", patience, func() bool { return len(w.processes()) == 2 })
	return answer
}

// processes are those of the call's command.
func (w *waiting) processes() (found []string) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range all {
		if text, err := os.ReadFile(path); err == nil && string(text) == "sleep\x00"+w.command+"\x00" {
			found = append(found, path)
		}
	}
	return found
}

// until polls for a condition.
func (w *waiting) until(what string, atMost time.Duration, is func() bool) {
	w.t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for giveUp := time.After(atMost); !is(); {
		select {
		case <-look.C:
		case <-giveUp:
			w.t.Fatalf("not within %v: %s", atMost, what)
		}
	}
}

// TestServeEndsRunsOverStdio: however a client or the server ends, no run and no process of one
// is left after five seconds.
func TestServeEndsRunsOverStdio(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *waiting) error{
		"SIGTERM":       func(w *waiting) error { return w.cmd.Process.Signal(syscall.SIGTERM) },
		"closed stdin":  func(w *waiting) error { return w.stdin.Close() },
		"broken stdout": func(w *waiting) error { return w.stdout.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveWaiting(t, name)
			w.begin(t.Context())
			if err := end(w); err != nil {
				t.Fatal(err)
			}
			w.until("its processes have ended", endsWithin, func() bool { return len(w.processes()) == 0 })
			if name != "broken stdout" { // who can hear is told
				for {
					line, err := w.answers.ReadString('\n')
					if err != nil {
						t.Fatal("the call was not answered", err)
					}
					if strings.Contains(line, `"id":"the-call"`) {
						if !strings.Contains(line, "cancelled") {
							t.Error(line)
						}
						break
					}
				}
			}
			if err := w.cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServeEndsRunsOverHTTP is the same over HTTP.
func TestServeEndsRunsOverHTTP(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *waiting, hangUp func()) error{
		"SIGTERM": func(w *waiting, _ func()) error { return w.cmd.Process.Signal(syscall.SIGTERM) },
		"DELETE": func(w *waiting, _ func()) error {
			response, err := w.post(t.Context(), http.MethodDelete, "")
			if err != nil {
				return err
			}
			if response.StatusCode != http.StatusNoContent {
				return fmt.Errorf("DELETE: %s", response.Status)
			}
			return response.Body.Close()
		},
		"connection gone": func(_ *waiting, hangUp func()) error {
			hangUp()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveWaiting(t, name, "--http", "127.0.0.1:0")
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			answered := w.begin(ctx)
			if err := end(w, hangUp); err != nil {
				t.Fatal(err)
			}
			w.until("its processes have ended", endsWithin, func() bool { return len(w.processes()) == 0 })
			if answer := <-answered; name == "SIGTERM" && !strings.Contains(answer, "cancelled") {
				t.Errorf("it was answered with %q", answer)
			}
		})
	}
}
