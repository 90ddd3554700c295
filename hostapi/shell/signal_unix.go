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

// signalNumber is 0 for a name that no signal has.
func signalNumber(name string) syscall.Signal { return unix.SignalNum(name) }
