package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestServeWhoseStderrNobodyReads: requests are answered, and SIGTERM ends it, though
// more was logged than the pipe holds.
func TestServeWhoseStderrNobodyReads(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("scriptrun", "serve", "--http", "127.0.0.1:0", "--rate", "-1") // it is ended by what is tested
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // it has ended, if all is well
	lines, line := bufio.NewReader(stderr), ""
	for err == nil && !strings.Contains(line, "listening on ") {
		line, err = lines.ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ := strings.Cut(strings.TrimSpace(line), "listening on ")
	for range 1000 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(url, "/mcp", "/"+strings.Repeat("x", 200), 1), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if state, err := cmd.Process.Wait(); err != nil || !state.Exited() {
		t.Error(state, err)
	}
}
