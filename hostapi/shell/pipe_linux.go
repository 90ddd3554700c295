package shell

import (
	"os"

	"golang.org/x/sys/unix"
)

// openPipe opens a pipe of which our end wakes us and theirs makes them wait. Package os
// has both ends wake us, and for each command asks the system for that and to undo it.
func openPipe(to direction) (ours, theirs *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	our, their := fds[0], fds[1]
	if to == toCommand {
		our, their = their, our
	}
	if err := unix.SetNonblock(our, true); err != nil {
		_, _ = unix.Close(our), unix.Close(their)
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(our), "pipe"), os.NewFile(uintptr(their), "pipe"), nil
}
