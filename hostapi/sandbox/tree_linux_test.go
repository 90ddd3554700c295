package sandbox

import (
	"os/exec"
	"syscall"
	"testing"
)

// TestSignalsReachNoLaterProcess: a process that has the process id of an earlier one is another.
func TestSignalsReachNoLaterProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, ok := readProcess(cmd.Process.Pid)
	if !ok {
		t.Fatal("it is not there")
	}
	earlier := p
	earlier.born--
	if earlier.reach(syscall.SIGKILL) || !p.reach(0) {
		t.Error("the earlier one was reached")
	}
	if !p.reach(syscall.SIGKILL) {
		t.Error("it was not reached itself")
	}
	_ = cmd.Wait() // that it was killed
	if p.reach(syscall.SIGKILL) {
		t.Error("it was reached after its end")
	}
}
