package shell

import (
	"errors"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// supported says whether commands run on this system at all.
const supported = true

// keepDescriptors keeps commands from descriptors that the host was given by
// whoever started it, open sockets among them: those are passed on unless they
// are marked. The host's own are marked as it opens them.
func keepDescriptors() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // before Linux 5.11 they pass
}

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
