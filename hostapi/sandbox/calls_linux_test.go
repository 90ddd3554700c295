//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestCallsThatNobodyJudgedAreLacking: a call of a newer kernel than this package knows fails as
// if the kernel lacked it, and so do numbers that no architecture of ours has. The program runs in
// a machine of its own, because this kernel lacks such calls in any case.
func TestCallsThatNobodyJudgedAreLacking(t *testing.T) {
	t.Parallel()
	lacking, refused, allowed := refusal(unix.ENOSYS), refusal(unix.EPERM), uint32(unix.SECCOMP_RET_ALLOW)
	want := map[uint32]uint32{
		unix.SYS_GETPID: allowed, unix.SYS_EXECVE: allowed, unix.SYS_OPENAT: allowed, unix.SYS_PIDFD_SEND_SIGNAL: allowed,
		unix.SYS_MSEAL: allowed, unix.SYS_SETXATTRAT: allowed, unix.SYS_FILE_SETATTR: allowed,
		unix.SYS_OPEN_TREE_ATTR: refused, unix.SYS_CLONE3: lacking, unix.SYS_OPENAT2: lacking,
		unix.SYS_LISTNS: lacking, unix.SYS_RSEQ_SLICE_YIELD: lacking, unix.SYS_PIDFD_SEND_SIGNAL - 1: lacking, lastOwnCall + 1: lacking, 350: lacking, 1 << 30: lacking, 1<<30 + 59: lacking, 1<<32 - 1: lacking,
	}
	for number := uint32(unix.SYS_FILE_SETATTR + 1); number < 1024; number++ {
		want[number] = lacking
	}
	for _, call := range slices.Concat(refusedCalls, refusedHere) {
		want[call] = refused
	}
	for _, root := range []bool{false, true} {
		for _, network := range []sockets{noSockets, askingSockets, allSockets} {
			program := filter(network, root)
			for number, answer := range want {
				if got := answerTo(t, program, number); got != answer {
					t.Errorf("call %d, network %d, root %t: %#x, not %#x", number, network, root, got, answer)
				}
			}
		}
	}
}

// answerTo is what a program answers to a call whose arguments are zero.
func answerTo(t *testing.T, program []unix.SockFilter, number uint32) uint32 {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(program))
	for i, op := range program {
		raw[i] = bpf.RawInstruction{Op: op.Code, Jt: op.Jt, Jf: op.Jf, K: op.K}
	}
	instructions, whole := bpf.Disassemble(raw)
	vm, err := bpf.NewVM(instructions)
	if err != nil || !whole {
		t.Fatal(err, whole)
	}
	data := make([]byte, dataArgs+6*8) // that machine reads the high byte of a word first
	binary.BigEndian.PutUint32(data[dataNumber:], number)
	binary.BigEndian.PutUint32(data[dataArch:], auditArch)
	answer, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(answer)
}
