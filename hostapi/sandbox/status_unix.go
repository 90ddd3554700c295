//go:build unix

package sandbox

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitOf is the exit code of a reaped process, or -1 and the name of the signal that
// ended it.
func exitOf(status syscall.WaitStatus) (code int, signal string) {
	if !status.Signaled() {
		return status.ExitStatus(), ""
	}
	if name := unix.SignalName(status.Signal()); name != "" {
		return -1, name
	}
	return -1, fmt.Sprintf("SIG#%d", int(status.Signal()))
}
