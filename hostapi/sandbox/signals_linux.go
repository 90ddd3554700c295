package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands may signal the thread that they were started from, whose Landlock
// domain is theirs, and before Landlock's ABI 6 every thread of the holder. A
// signal that ends the holder would end all of its commands.

// lastSignal is the highest that there is on the architectures that Go knows
// with a kernel's signal set of 8 bytes.
const lastSignal = 64

// ignoreSignals gives every signal back its default action, at which the kernel
// drops what the first process of a space of ids is sent from within it. The
// runtime's own handlers would end the process for SIGSEGV and its like. It
// keeps those that harm nobody: of children, and between threads.
func ignoreSignals() error {
	var byDefault [4]uint64 // struct sigaction: SIG_DFL, no flags
	for signal := uintptr(1); signal <= lastSignal; signal++ {
		switch unix.Signal(signal) {
		case unix.SIGKILL, unix.SIGSTOP, unix.SIGCHLD, unix.SIGURG:
			continue
		}
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0); errno != 0 {
			return fmt.Errorf("the action of signal %d: %w", signal, errno)
		}
	}
	return nil
}
