package shell

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// supported says whether commands run on this system at all.
const supported = true

// processAttributes makes the first process the leader of its own group, and
// has it killed when the host dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit blocks until the process has exited and leaves it unreaped. False
// means that it cannot tell.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
