package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWhatEndsTheHostLeavesNoPlant: however the host ends, except by a kill, files of its
// commands that run by themselves are put away first.
func TestWhatEndsTheHostLeavesNoPlant(t *testing.T) {
	t.Parallel()
	hangup := make(chan os.Signal, 1) // where it is ignored, as under nohup, it would be so in what is started
	signal.Notify(hangup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangup) })
	for name, signals := range map[string][]syscall.Signal{
		"Ctrl-C": {syscall.SIGINT}, "SIGTERM": {syscall.SIGTERM}, "a terminal that closes": {syscall.SIGHUP}, "a shell that tells of it too": {syscall.SIGHUP, syscall.SIGHUP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var said bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "scriptrun", "eval", `await ctx.bash("echo evil > .envrc; touch there; exec sleep 600")`, "--allow", "bash", "--timeout", "5m")
			state := t.TempDir()
			cmd.Dir, cmd.Stderr, cmd.Stdout, cmd.Env = dir, &said, &said, append(os.Environ(), "XDG_STATE_HOME="+state)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			giveUp := time.Now().Add(patience)
			for _, err := os.Stat(filepath.Join(dir, "there")); err != nil; _, err = os.Stat(filepath.Join(dir, "there")) {
				if time.Now().After(giveUp) {
					t.Fatalf("the command does not run: %s", said.String())
				}
			}
			for _, signal := range signals {
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // the exit code tells
			text, _ := os.ReadFile(filepath.Join(dir, ".envrc"))
			left, _ := filepath.Glob(filepath.Join(state, "scriptrun", "trash", "*", "*-.envrc.tar"))
			if cmd.ProcessState.ExitCode() != exitCancelled || strings.Contains(string(text), "evil") || len(left) != 1 {
				t.Errorf("%v: .envrc is %q, the trash has %q\n%s", cmd.ProcessState, text, left, said.String())
			}
		})
	}
}
