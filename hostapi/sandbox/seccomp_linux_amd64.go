package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// lastOwnCall is the last call before those that all architectures have in common. On
	// some kernels those of x32 follow, from 2^30 on.
	lastOwnCall = unix.SYS_UPROBE
)

// refusedHere are calls that other architectures do not have.
var refusedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE}

// modesHere are calls with modes that other architectures do not have.
var modesHere = []callWithMode{{unix.SYS_CHMOD, 1, -1}, {unix.SYS_MKNOD, 1, -1}, {unix.SYS_CREAT, 1, -1}, {unix.SYS_OPEN, 2, 1}}
