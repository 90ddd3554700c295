package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands may signal the thread that started them, whose Landlock
// domain is theirs, and before Landlock's ABI 6 every thread of the holder. A
// signal that ends the holder would end all of its commands.

// lastSignal is the highest signal of the architectures that Go knows with a kernel's
// signal set of 8 bytes.
const lastSignal = 64

// ignoreSignals restores the default action of every signal: the kernel then drops
// signals that the first process of a namespace gets from within it. The Go runtime's
// own handlers would end the process for SIGSEGV and the like. The signals of children
// and between threads stay; they harm nobody.
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
