//go:build amd64 || arm64

package worker

import (
	"fmt"
	goruntime "runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// needed are the system calls of a Go program that only computes, collects garbage, and uses
// an open descriptor. None of them opens, starts, connects or signals anything.
var needed = append([]uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_PPOLL, unix.SYS_CLOSE, unix.SYS_FCNTL,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_MPROTECT, unix.SYS_MINCORE, unix.SYS_MREMAP, unix.SYS_BRK,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK,
	unix.SYS_GETTID, unix.SYS_GETPID, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_MEMBARRIER,
	unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CREATE1, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}, neededHere...)

// Confine gives up new privileges and all system calls but the needed ones, for every thread
// of this process and for good.
func Confine() ([]string, error) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("no new privileges: %w", err)
	}
	program := filter(uint32(unix.Getpid()))
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return nil, fmt.Errorf("seccomp: %w", errno)
	}
	return []string{"no new privileges", "seccomp: no files, no sockets, no processes"}, nil
}

// filter allows the needed calls, new threads, and signals to the process itself.
func filter(pid uint32) []unix.SockFilter {
	var p []unix.SockFilter
	op := func(code uint16, jt, jf uint8, k uint32) {
		p = append(p, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
	}
	answer := func(k uint32) { op(unix.BPF_RET|unix.BPF_K, 0, 0, k) }
	load := func(at uint32) { op(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, at) }
	const number, arch, argument = 0, 4, 16
	refused := uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)

	load(arch)
	op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, auditArch)
	answer(unix.SECCOMP_RET_KILL_PROCESS)
	load(number)
	for _, call := range needed {
		op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, call)
		answer(unix.SECCOMP_RET_ALLOW)
	}
	op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, unix.SYS_CLONE3) // a filter cannot see its flags
	answer(uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS))
	op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 4, unix.SYS_CLONE) // threads, not processes
	load(argument)
	op(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, unix.CLONE_THREAD)
	answer(unix.SECCOMP_RET_ALLOW)
	answer(refused)
	op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 4, unix.SYS_TGKILL) // the Go runtime preempts its own threads
	load(argument)
	op(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, pid)
	answer(unix.SECCOMP_RET_ALLOW)
	answer(refused)
	answer(refused)
	return p
}
