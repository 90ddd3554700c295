package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	// lastOwnCall is the last call before those that all architectures have in common.
	lastOwnCall = unix.SYS_KEXEC_FILE_LOAD
)

// refusedHere are calls that other architectures do not have.
var refusedHere []uint32

// modesHere are calls with modes that other architectures do not have.
var modesHere []callWithMode
