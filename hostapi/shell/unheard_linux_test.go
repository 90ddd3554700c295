package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi"
)

// TestWhatNobodyHeardIsToldNext: a command that outlasts its run leaves a file that runs by
// itself, and the next command in the workspace, of another host, tells where it is.
func TestWhatNobodyHeardIsToldNext(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	leaveUnheard(t, tool.Dir, tool)
	next := newTool(t)
	next.Dir, next.Sandbox = tool.Dir, tool.Sandbox
	for i, want := range []int{1, 0} { // and once
		result, _, err := invoke(t.Context(), t, next, map[string]any{"command": "true"}, 0)
		told := slices.DeleteFunc(result.Notes, func(note string) bool {
			return !strings.Contains(note, ".envrc") || !strings.Contains(note, tool.Sandbox.Protected.Trash)
		})
		if err != nil || len(told) != want {
			t.Errorf("command %d: notes %q, %v; expected %d with .envrc", i, result.Notes, err, want)
		}
	}
}

// TestWhatNobodyHeardIsTaken: the host says it when it ends, and no command again.
func TestWhatNobodyHeardIsTaken(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	leaveUnheard(t, tool.Dir, tool)
	if told := tool.Untold(); len(told) != 1 || !strings.Contains(told[0], ".envrc") || !strings.Contains(told[0], `unprotect = [".envrc"]`) {
		t.Errorf("untold %q; expected .envrc and its setting", told)
	}
	if told := tool.Untold(); len(told) != 0 {
		t.Errorf("told twice: %q", told)
	}
}

// leaveUnheard runs a command that ends after its run.
func leaveUnheard(t *testing.T, dir string, tool hostapi.Tool) {
	t.Helper()
	ready := filepath.Join(dir, "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	registry, err := hostapi.NewRegistry(tool)
	if err != nil {
		t.Fatal(err)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList{{Tool: "bash"}}}})
	invoked := make(chan error, 1)
	go func() {
		_, err := gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "bash", Args: encoded(t, map[string]any{"command": "trap '' TERM; echo evil > .envrc; echo > ready; sleep 60"})})
		invoked <- err
	}()
	if _, err := os.ReadFile(ready); err != nil {
		t.Fatal(err)
	}
	if left := gate.Close(0); len(left) != 1 {
		t.Fatalf("left behind %v; expected the command", left)
	}
	<-gate.Settled()
	<-invoked
}
