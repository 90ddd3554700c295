//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets within struct seccomp_data of <linux/seccomp.h>.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

// lastCall is the newest call that somebody has judged. Later ones fail as if the kernel
// lacked them, until it is known what they do: then raise it, and add to refusedCalls.
const lastCall = unix.SYS_FILE_SETATTR

// refusedCalls are the calls of every architecture that administer the machine, reach
// into other processes, or get around the other measures.
var refusedCalls = []uint32{
	// other processes
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_PROCESS_MADVISE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_PERF_EVENT_OPEN,
	// memory and queues shared by name
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	// mounts and namespaces
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	// ways into the kernel; io_uring would open sockets unseen
	unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	// the machine
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
}

// namespaceFlags are the flags of clone that make a new namespace.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// assembler writes a seccomp program. Every rule is a test and a return, so
// that no jump is long.
type assembler []unix.SockFilter

func (a *assembler) op(code uint16, jt, jf uint8, k uint32) {
	*a = append(*a, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (a *assembler) load(offset uint32) { a.op(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset) }

func (a *assembler) answer(k uint32) { a.op(unix.BPF_RET|unix.BPF_K, 0, 0, k) }

// unless skips the next n instructions if the loaded word is not k.
func (a *assembler) unless(k uint32, n uint8) { a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, n, k) }

// argument loads the low word of a system call's argument.
func (a *assembler) argument(i uint32) {
	at := dataArgs + 8*i
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		at += 4
	}
	a.load(at)
}

func refusal(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// sockets says which internet sockets commands can have.
type sockets int

const (
	noSockets     sockets = iota
	askingSockets         // they connect, and do not listen
	allSockets
)

// filter is the program for commands. clone3 and openat2 hide their flags from a
// filter, so they fail as if the kernel lacked them.
func filter(network sockets, root bool) []unix.SockFilter {
	var a assembler
	eperm, eacces, lacking := refusal(unix.EPERM), refusal(unix.EACCES), refusal(unix.ENOSYS)
	a.load(dataArch)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, auditArch)
	a.answer(unix.SECCOMP_RET_KILL_PROCESS) // a call of another architecture has other numbers
	a.load(dataNumber)
	a.op(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 2, lastOwnCall+1)
	a.op(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 1, 0, unix.SYS_PIDFD_SEND_SIGNAL) // the first that is common to all
	a.answer(lacking)
	a.op(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, lastCall+1)
	a.answer(lacking)
	for _, call := range append(refusedCalls, refusedHere...) {
		a.unless(call, 1)
		a.answer(eperm)
	}
	for _, call := range []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2} {
		a.unless(call, 1)
		a.answer(lacking)
	}
	a.unless(unix.SYS_PTRACE, 1)
	a.answer(eperm)
	a.setID(root)
	a.unless(unix.SYS_CLONE, 4)
	a.argument(0)
	a.op(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, namespaceFlags)
	a.answer(eperm)
	a.answer(unix.SECCOMP_RET_ALLOW)

	// Refuse limits of other processes (0 is the caller), and changes of the limits
	// that are the mark and the number of processes.
	a.unless(unix.SYS_SETRLIMIT, 5)
	a.argument(0)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.RLIMIT_RTTIME)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, unix.RLIMIT_NPROC)
	a.answer(eperm)
	a.answer(unix.SECCOMP_RET_ALLOW)
	a.unless(unix.SYS_PRLIMIT64, 12)
	a.argument(0)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, 0)
	a.answer(eperm)
	a.argument(1)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.RLIMIT_RTTIME)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 4, unix.RLIMIT_NPROC)
	a.load(dataArgs + 16)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 3, 0)
	a.load(dataArgs + 20)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, 0)
	a.answer(unix.SECCOMP_RET_ALLOW)
	a.answer(eperm)

	// Socket pairs only talk to each other, except pairs of datagrams, which can be
	// sent to any address. A raw pair is one of datagrams.
	a.unless(unix.SYS_SOCKETPAIR, 6)
	a.argument(1)
	a.op(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, 0xf)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 2, 0, unix.SOCK_STREAM)
	a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.SOCK_SEQPACKET)
	a.answer(eacces)
	a.answer(unix.SECCOMP_RET_ALLOW)

	switch network {
	case allSockets:
		// Of netlink only the protocol that lists interfaces and routes.
		a.unless(unix.SYS_SOCKET, 8)
		a.argument(0)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 5, 0, unix.AF_INET)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 4, 0, unix.AF_INET6)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 2, unix.AF_NETLINK)
		a.argument(2)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.NETLINK_ROUTE)
		a.answer(eacces)
		a.answer(unix.SECCOMP_RET_ALLOW)
	case askingSockets:
		// TCP and UDP; 0 is the default of a type.
		a.unless(unix.SYS_SOCKET, 9)
		a.argument(0)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.AF_INET)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 4, unix.AF_INET6)
		a.argument(2)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 3, 0, 0)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 2, 0, unix.IPPROTO_TCP)
		a.op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, unix.IPPROTO_UDP)
		a.answer(eacces)
		a.answer(unix.SECCOMP_RET_ALLOW)
		for _, call := range []uint32{unix.SYS_BIND, unix.SYS_LISTEN} {
			a.unless(call, 1)
			a.answer(eacces)
		}
	default:
		a.unless(unix.SYS_SOCKET, 1)
		a.answer(eacces)
	}
	a.answer(unix.SECCOMP_RET_ALLOW)
	return a
}

// signalFilter refuses signals to one thread of the holder, if the holder is not the
// first process of its namespace. A command can reach no other thread of it. Folders of
// /proc serve as pidfds, and a filter cannot see whose: they send no signals, as if the
// kernel lacked them.
func signalFilter(thread int) []unix.SockFilter {
	var a assembler
	a.load(dataNumber)
	for _, call := range []struct{ number, target uint32 }{
		{unix.SYS_KILL, 0}, {unix.SYS_TKILL, 0}, {unix.SYS_RT_SIGQUEUEINFO, 0}, {unix.SYS_TGKILL, 1}, {unix.SYS_RT_TGSIGQUEUEINFO, 1},
	} {
		a.unless(call.number, 4)
		a.argument(call.target)
		a.unless(uint32(thread), 1)
		a.answer(refusal(unix.EPERM))
		a.answer(unix.SECCOMP_RET_ALLOW)
	}
	a.unless(unix.SYS_PIDFD_SEND_SIGNAL, 1)
	a.answer(refusal(unix.ENOSYS))
	a.unless(unix.SYS_FCNTL, 4) // without F_SETSIG the signal is SIGIO, which does the holder no harm
	a.argument(1)
	a.unless(unix.F_SETSIG, 1)
	a.answer(refusal(unix.EPERM))
	a.answer(unix.SECCOMP_RET_ALLOW)
	a.answer(unix.SECCOMP_RET_ALLOW)
	return a
}

// setID refuses modes that make a program run as the file's owner, whoever starts it:
// set-user-ID always, and set-group-ID for root. Other users need the latter for
// folders that keep their group.
func (a *assembler) setID(root bool) {
	refused := uint32(unix.S_ISUID)
	if root {
		refused |= unix.S_ISGID
	}
	for _, call := range append(callsWithModes, modesHere...) {
		n := uint8(4)
		if call.flags >= 0 {
			n = 6
		}
		a.unless(call.number, n)
		if call.flags >= 0 { // the mode counts only for a file that is made
			a.argument(uint32(call.flags))
			a.op(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 3, unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY)
		}
		a.argument(call.mode)
		a.op(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, refused)
		a.answer(refusal(unix.EPERM))
		a.answer(unix.SECCOMP_RET_ALLOW)
	}
}

// callWithMode is a call that sets a file's mode, with the index of that argument;
// flags is the index of the argument that says whether it makes a file, or -1.
type callWithMode struct {
	number uint32
	mode   uint32
	flags  int
}

var callsWithModes = []callWithMode{
	{unix.SYS_FCHMOD, 1, -1}, {unix.SYS_FCHMODAT, 2, -1}, {unix.SYS_FCHMODAT2, 2, -1}, {unix.SYS_MKNODAT, 2, -1},
	{unix.SYS_OPENAT, 3, 2},
}

// limitCalls makes the filter and reports what seccomp can enforce.
func (r *room) limitCalls() {
	p := r.policy
	if err := filters(); err != nil {
		r.has("network", "", "a command can open sockets of every kind (seccomp: "+err.Error()+")", "use a kernel with seccomp filters, on amd64 or arm64")
		r.has("system calls", "", "a command can make every system call that its user may", "as for the network")
		return
	}
	open := noSockets
	switch {
	case p.Network.sockets():
		open = allSockets
	case p.Refuser:
		open = askingSockets
	}
	root := os.Geteuid() == 0 && !r.spaces.User
	r.filter = filter(open, root)
	switch {
	case p.Network == NetworkFull:
		r.has("network", "seccomp: internet sockets allowed, others not", "", "")
	case p.Network == NetworkProxied:
		r.has("network", "a network of its own, loopback and what the host passes on", "", "")
	case p.Network == NetworkLoopback && r.spaces.Net:
		r.has("network", "a network of its own, loopback alone", "", "")
	case p.Network == NetworkLoopback: // never more than was asked for
		r.filter = filter(noSockets, root)
		r.has("network", "seccomp: no sockets", "there is no loopback without a network namespace", "run scriptrun as root, or allow user namespaces")
	case p.Refuser:
		r.has("network", "an empty network, in which the host refuses connections, seccomp: no servers", "", "")
	default:
		by := "seccomp: no sockets"
		if r.spaces.Net {
			by += ", an empty network"
		}
		r.has("network", by, "", "")
	}
	by := "seccomp, no new privileges"
	if root {
		by += ", capabilities dropped"
	}
	r.has("system calls", by, "", "")
}

// install puts a filter on the calling thread alone.
func install(program []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// filters returns an error if the kernel has no filters.
func filters() error {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}
