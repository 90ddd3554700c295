//go:build unix

package shell

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// supported says whether commands run on this system at all.
const supported = true

// signalNumber is 0 for a name that no signal has.
func signalNumber(name string) syscall.Signal { return unix.SignalNum(name) }
