//go:build unix && !linux

package shell

import "syscall"

// supported says whether commands run on this system at all.
const supported = true

// processAttributes makes the first process the leader of its own group.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitExit cannot tell an exit without reaping here.
func awaitExit(int) bool { return false }
