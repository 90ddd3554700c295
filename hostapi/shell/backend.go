package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/egress"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// Backend runs commands, one to a terminal. Its methods are safe for
// concurrent use. Output, Wait and Kill answer [ErrNotFound] for an id that is
// unknown or was released.
type Backend interface {
	// Create starts a command and returns at once. When ctx ends, the command is ended
	// and its status says Cancelled. The error is a *[StartError] if the command could
	// not be started.
	//
	// The caller must call Release, on every path.
	Create(ctx context.Context, command Command) (TerminalID, error)

	// Output is a snapshot of what the command has written so far, partial lines too. It
	// never drains and never blocks. since leaves out that many bytes from the beginning
	// of Output.Both; 0 is all of it. If since is the Total of Both of an earlier
	// snapshot, Stdout and Stderr leave out what that one had; otherwise they may repeat
	// some of it. An incomplete character is left for the next snapshot.
	Output(id TerminalID, since int64) (Output, error)

	// Wait blocks until the command and everything it started has ended, or ctx has.
	// Many may wait. After the end it returns at once.
	Wait(ctx context.Context, id TerminalID) (ExitStatus, error)

	// Kill sends a signal to the command and everything it started. SIGKILL follows
	// SIGTERM after the command's grace. Killing an ended command is not an error;
	// output and status stay readable.
	Kill(id TerminalID, signal syscall.Signal) error

	// Release ends what still runs and forgets the terminal. It returns when nothing
	// runs any more. Releasing an unknown id is not an error.
	Release(id TerminalID) error
}

// Interactive is a [Backend] that can wait for output, and that writes to commands while
// they run. [Local] is one.
type Interactive interface {
	Backend

	// WaitOutput blocks until there is output after byte since, the command has ended, or
	// ctx has. The error is [ErrNotFound] or that of ctx.
	WaitOutput(ctx context.Context, id TerminalID, since int64) error

	// Write writes p to the command's input. It blocks until the command, or the pipe to
	// it, has taken all of it; nothing else waits for that. It fails if the command was
	// started without [Command.Input], has closed its input, or has ended; part of p may
	// have arrived.
	Write(ctx context.Context, id TerminalID, p []byte) error

	// CloseInput closes the command's input after what was written. Closing it again is
	// not an error.
	CloseInput(ctx context.Context, id TerminalID) error

	// Resize changes the size of the terminal of a command with [Command.Pty].
	Resize(id TerminalID, size sandbox.Size) error
}

// ErrNotFound is the error of a [Backend] for a terminal that is unknown or was released.
var ErrNotFound = errors.New("no such terminal: it is unknown or was released")

// TerminalID names a terminal of one [Backend]. It is opaque.
type TerminalID string

// Command is what to run, where, and within which limits. Either Line or Argv
// is set.
type Command struct {
	// Line is a shell line.
	Line string
	// Argv is a program and its arguments, run without a shell.
	Argv []string
	// Stdin is written to the command's input, which is then closed. Nil is the null
	// device.
	Stdin []byte
	// Input leaves the input open after Stdin, for [Interactive.Write].
	Input bool
	// Pty runs it on a terminal of this size, from 1 to 1,000 each way. All output is one
	// stream then, stdout, as a terminal gets it. Input arrives as if typed, and closing
	// it sends the end-of-file character. Nil is no terminal. Create fails with a
	// *[StartError] where there are no terminals.
	Pty *sandbox.Size
	// Context is where it runs and with what environment.
	Context ExecContext
	// Sandbox is what the system keeps it from, as far as the backend can.
	Sandbox Sandbox
	// Watch is called with what the command writes, as it is read and in whole
	// characters. stream is "stdout" or "stderr". It must return at once, and must not
	// keep p. Nil is none.
	Watch func(stream string, p []byte)
	// Limits are its bounds.
	Limits Limits

	background bool // it may outlast the call
}

// Limits bound one command.
type Limits struct {
	// Timeout is how long it may run, more than zero.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL; zero skips SIGTERM.
	Grace time.Duration
	most  time.Duration // that a call may ask for
	// OutputBytes is how much is kept of stdout, of stderr and of both together, each;
	// zero means 1 MiB.
	OutputBytes int64
	// SpillDir is a folder for files with the whole output, made when the output exceeds
	// OutputBytes; empty for none. The caller removes it.
	SpillDir string
	// SpillBytes bounds the files of one command together; zero means 256 MiB. A folder
	// is full at 1 GiB; each command that is writing then may add up to 16 MiB.
	SpillBytes int64
}

// outputBytes is OutputBytes, or what zero means.
func (l Limits) outputBytes() int64 { return cmp.Or(l.OutputBytes, 1<<20) }

// The largest and the default size of a terminal.
const (
	maxPtySize               = 1000
	defaultCols, defaultRows = 80, 24
)

// Check refuses a malformed command. Every backend calls it before it starts anything.
func (c Command) Check() error {
	switch {
	case (c.Line == "") == (len(c.Argv) == 0):
		return errors.New("expected either a line or an argv")
	case len(c.Argv) > 0 && c.Argv[0] == "":
		return errors.New("argv[0] is empty; expected a program")
	case c.Limits.Timeout <= 0:
		return fmt.Errorf("timeout %v; expected more than zero", c.Limits.Timeout)
	case c.Limits.Grace < 0, c.Limits.OutputBytes < 0, c.Limits.SpillBytes < 0:
		return errors.New("a limit is negative")
	}
	if c.Pty != nil {
		if err := checkPty(*c.Pty); err != nil {
			return err
		}
	}
	return c.Sandbox.in(c.Context).check()
}

func checkPty(size sandbox.Size) error {
	if min(size.Cols, size.Rows) < 1 || max(size.Cols, size.Rows) > maxPtySize {
		return fmt.Errorf("a terminal of %d columns and %d rows; expected 1 to %d of each", size.Cols, size.Rows, maxPtySize)
	}
	return nil
}

// ExitStatus is how a command ended.
type ExitStatus struct {
	// ExitCode is the exit code of the first process; -1 if there is none.
	ExitCode int
	// Signal names the signal that ended it, such as "SIGKILL"; empty for none.
	Signal string
	// TimedOut is set when the deadline ended it.
	TimedOut bool
	// Cancelled is set when the end of its context, or its release, ended it.
	Cancelled bool
	// OOMKilled is set if the kernel is known to have killed one of its processes because
	// memory ran out.
	OOMKilled bool
	starved   bool // the same, even if the command succeeded or the process was another's
	// Duration is from the start to the exit of the first process.
	Duration time.Duration
	// network is what it asked the proxy for; nil without a proxy, or if it asked for
	// nothing.
	network *egress.Account
}

// Output is a snapshot of what a command wrote. Both is in the order of reading; within
// one stream that is the order of writing.
type Output struct {
	Both, Stdout, Stderr Captured
	// SpillErr is why the files of Stdout and Stderr are incomplete; nil if they are
	// complete, or if there are none.
	SpillErr error
	// Status is how the command ended; nil while it runs.
	Status *ExitStatus
	// Refusals are what the sandbox is known to have refused, once the command has ended.
	// They do not include what only its output tells of.
	Refusals []Refusal

	unheard func()         // is called where nobody gets to know of them; nil for none
	visit   *protect.Visit // nil for none
}

// StartError is a command that never ran.
type StartError struct {
	// Program is its name; it may be empty.
	Program string
	// Err is the reason.
	Err error
}

// Error implements error.
func (e *StartError) Error() string {
	if e.Program == "" {
		return "the command was not started: " + e.Err.Error()
	}
	return fmt.Sprintf("%s was not started: %v", e.Program, e.Err)
}

// Unwrap returns Err.
func (e *StartError) Unwrap() error { return e.Err }
