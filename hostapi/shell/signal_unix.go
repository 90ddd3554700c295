//go:build unix

package shell

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func signalName(signal syscall.Signal) (string, bool) {
	name := unix.SignalName(signal)
	return name, name != ""
}
