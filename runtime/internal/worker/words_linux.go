//go:build amd64 || arm64

package worker

import (
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// words is the standard error of a worker, which no script can reach: its Go runtime writes
// there when it ends the process. The pipe keeps the beginning of a long text, and the worker
// does not wait for a reader.
type words struct{ ours, theirs *os.File }

// maxWords is how much is kept at least, in bytes.
const maxWords = 4 << 10

// started closes the worker's end, once the command has been started or has failed to.
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
	// The poller of the Go runtime knows neither file: os/exec would make a file that it knows
	// blocking again.
	l := &words{ours: os.NewFile(uintptr(fds[0]), "last words"), theirs: os.NewFile(uintptr(fds[1]), "last words")}
	_, _ = unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, maxWords) // without it the pipe holds more
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

// readNow reads what there is, without waiting.
func readNow(f *os.File, p []byte) (n int) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Control(func(fd uintptr) { n, _ = unix.Read(int(fd), p) })
	return max(n, 0)
}

// The exit codes of a Go program that its runtime ended, and of the race detector's runtime.
const (
	exitFatal = 2
	exitRace  = 66
)

// wantsMemory are the messages of the Go runtime when the system gives it no more memory. See
// its malloc.go, mem_linux.go, stack.go and mheap.go.
var wantsMemory = []string{"out of memory", "cannot allocate", "failed to allocate", "cannot map pages", "errno=12", "failed to create new OS thread"}

// Death says how the worker ended, once it is gone.
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

// ownFault reports whether the runtime died of a fault in itself: it does not check all the
// memory that it gets, and so uses refused memory at address 0. A fault in Go code is a panic,
// which is recovered.
func ownFault(first string) bool {
	return strings.HasPrefix(first, "SIGSEGV: ") || strings.HasPrefix(first, "SIGBUS: ") || strings.HasPrefix(first, "fatal error: unexpected signal during runtime execution")
}

// sent reports whether a process sent the signal that the runtime died of: signals of faults
// have a code above 0.
func sent(said string) bool {
	_, code, found := strings.Cut(said, " sigcode=")
	return found && (strings.HasPrefix(code, "0") || strings.HasPrefix(code, "-"))
}

// says reports whether the runtime says one of some words before it lists goroutines.
func says(said string, some []string) bool {
	head, _, _ := strings.Cut(said, "\ngoroutine ")
	return slices.ContainsFunc(some, func(words string) bool { return strings.Contains(head, words) })
}
