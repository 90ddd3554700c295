package shell

import (
	"fmt"
	"os"
	"syscall"
)

// exitOf is the exit code of a process that was reaped, or the name of the
// signal that ended it; -1 and "" where neither is known.
func exitOf(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return state.ExitCode(), ""
	}
	if name, ok := signalName(status.Signal()); ok {
		return -1, name
	}
	return -1, fmt.Sprintf("SIG#%d", int(status.Signal()))
}
