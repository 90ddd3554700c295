//go:build amd64 || arm64

package worker

import (
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// words are what the Go runtime of a worker writes when it ends the process: its
// standard error, which no script can reach. Of a flood the beginning is kept,
// by the system, and the worker does not wait for anybody to read it.
type words struct{ ours, theirs *os.File }

// maxWords is how much of it is kept, at least.
const maxWords = 4 << 10

// started is told when the command has been started, or could not be.
func (l *words) started() { _ = l.theirs.Close() }

func (l *words) close() { _ = l.ours.Close() }

// last returns what a worker wrote before it died.
func (l *words) last() string {
	text := make([]byte, maxWords)
	return string(text[:readNow(l.ours, text)])
}

// listen gives a command that is not started yet a standard error: a pipe of one page. A
// write to a full one fails at once.
func listen(cmd *exec.Cmd) (*words, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("pipe2", err)
	}
	// Neither file is known to the poller of the Go runtime: os/exec would have
	// a file that is wait again.
	l := &words{ours: os.NewFile(uintptr(fds[0]), "last words"), theirs: os.NewFile(uintptr(fds[1]), "last words")}
	_, _ = unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, maxWords) // or it holds a little more
	for _, fd := range fds {
		if err := unix.SetNonblock(fd, true); err != nil {
			l.started()
			l.close()
			return nil, err
		}
	}
	cmd.Stderr = l.theirs
	return l, nil
}

// readNow reads what there is.
func readNow(f *os.File, p []byte) (n int) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Control(func(fd uintptr) { n, _ = unix.Read(int(fd), p) })
	return max(n, 0)
}

// The exit codes of a Go program that its runtime ended, and of one that was
// built with the race detector, which has a runtime of its own.
const (
	exitFatal = 2
	exitRace  = 66
)

// wantsMemory are the words of the Go runtime for a system that gives it no
// more memory. See runtime/malloc.go, mem_linux.go, stack.go and mheap.go.
var wantsMemory = []string{"out of memory", "cannot allocate", "failed to allocate", "cannot map pages", "errno=12", "failed to create new OS thread"}

// Death says how the worker ended. It must be gone.
func (w *Process) Death() Death {
	state := w.cmd.ProcessState
	fatal := state.ExitCode() == exitFatal || state.ExitCode() == exitRace
	said := w.words.last()
	d := Death{Text: state.String()}
	first, _, _ := strings.Cut(said, "\n")
	if first != "" {
		d.Text += ": " + first
	}
	switch {
	case w.watch.wasOver():
		d.Cause = OutOfMemory
	case fatal && (says(said, wantsMemory) || ownFault(first) && !sent(said)):
		d.Cause = OutOfMemory
	case fatal && says(said, []string{"goroutine stack exceeds", "stack overflow"}):
		d.Cause = OutOfStack
	}
	return d
}

// ownFault reports whether the runtime died of a fault in itself: it does not
// look at all memory that it is given, so that what was refused is used as if it
// were at address 0. A fault in Go code is a panic, which is caught.
func ownFault(first string) bool {
	return strings.HasPrefix(first, "SIGSEGV: ") || strings.HasPrefix(first, "SIGBUS: ") || strings.HasPrefix(first, "fatal error: unexpected signal during runtime execution")
}

// sent reports whether the signal that the runtime died of came from a process:
// the system gives those it sends for a fault a code above 0.
func sent(said string) bool {
	_, code, found := strings.Cut(said, " sigcode=")
	return found && (strings.HasPrefix(code, "0") || strings.HasPrefix(code, "-"))
}

// says reports whether the runtime says one of some words before it lists goroutines.
func says(said string, some []string) bool {
	head, _, _ := strings.Cut(said, "\ngoroutine ")
	return slices.ContainsFunc(some, func(words string) bool { return strings.Contains(head, words) })
}
