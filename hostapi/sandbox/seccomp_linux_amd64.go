package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignCalls is where the numbers of the x32 calls begin.
	foreignCalls = 0x40000000
)

// refusedHere are calls that other architectures do not have.
var refusedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE}

// modesHere are calls with modes that other architectures do not have.
var modesHere = []callWithMode{{unix.SYS_CHMOD, 1, -1}, {unix.SYS_MKNOD, 1, -1}, {unix.SYS_CREAT, 1, -1}, {unix.SYS_OPEN, 2, 1}}
