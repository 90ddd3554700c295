package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/egress"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// Backend runs commands, one to a terminal. Its methods are safe for
// concurrent use. Output, Wait and Kill answer [ErrNotFound] for an id that is
// unknown or was released.
type Backend interface {
	// Create starts a command and returns at once. ctx is the command's life:
	// when it ends, the command is ended and its status says Cancelled. A
	// command that could not be started is a *[StartError].
	//
	// The caller must call Release, on every path.
	Create(ctx context.Context, command Command) (TerminalID, error)

	// Output is what the command wrote so far, partial lines too. It takes
	// nothing away and does not block. since leaves out that many bytes from
	// the beginning of Output.Both; 0 is all of it. Where it is the Total of
	// Both of an earlier look, Stdout and Stderr leave out what that look had too;
	// otherwise they may repeat some of it. A character that is only half there is
	// left for the next look.
	Output(id TerminalID, since int64) (Output, error)

	// Wait blocks until the command and everything it started has ended, or
	// ctx has. Many may wait; after the end it returns at once.
	Wait(ctx context.Context, id TerminalID) (ExitStatus, error)

	// Kill sends a signal to the command and everything it started. SIGTERM
	// is followed by SIGKILL after the command's grace. Killing what has
	// ended is not an error; output and status stay readable.
	Kill(id TerminalID, signal syscall.Signal) error

	// Release ends what still runs and forgets the terminal. It returns when
	// nothing is left. Releasing an unknown id is not an error.
	Release(id TerminalID) error
}

// Interactive is a [Backend] that tells of output as it comes, and whose
// commands take input while they run. [Local] is one.
type Interactive interface {
	Backend

	// WaitOutput blocks until Output would have something after byte since, the
	// command has ended, or ctx has; the error is [ErrNotFound] or that of ctx.
	WaitOutput(ctx context.Context, id TerminalID, since int64) error

	// Write gives the command some more to read, after what was written before. It
	// blocks until the command, or the pipe to it, has taken all of it: a command
	// that does not read holds up whoever writes, and nobody else. It fails where
	// the command was started without [Command.Input], closed its input, or has
	// ended; some of p may have arrived.
	Write(ctx context.Context, id TerminalID, p []byte) error

	// CloseInput ends what the command reads, after what was written. Closing
	// what is closed is not an error.
	CloseInput(ctx context.Context, id TerminalID) error

	// Resize changes the size of the terminal of a command with [Command.Pty].
	Resize(id TerminalID, size sandbox.Size) error
}

// ErrNotFound is what a [Backend] answers for a terminal that is unknown or
// was released.
var ErrNotFound = errors.New("no such terminal: it never was, or it was released")

// TerminalID names a terminal of one [Backend]. It is opaque.
type TerminalID string

// Command is what to run, where, and within which limits. Either Line or Argv
// is set.
type Command struct {
	// Line is a shell line.
	Line string
	// Argv is a program and its arguments, run without a shell.
	Argv []string
	// Stdin is written to the command and then closed. Nil is the null device.
	Stdin []byte
	// Input leaves the input open after Stdin, for [Interactive.Write].
	Input bool
	// Pty runs it on a terminal of this size, from 1 to 1,000 each way: what it
	// writes comes as one stream, stdout, as a terminal gets it, and what it reads
	// is what is typed there. The end of its input is the terminal's end-of-file
	// character. Nil is none. Where there are no terminals it is a *[StartError].
	Pty *sandbox.Size
	// Context is where it runs and with what environment.
	Context ExecContext
	// Sandbox is what the system keeps it from, as far as the backend can.
	Sandbox Sandbox
	// Watch is told what the command writes, as it is read and in whole characters:
	// which stream, "stdout" or "stderr", and the bytes, which are not its to keep.
	// It must return at once. Nil tells nobody.
	Watch func(stream string, p []byte)
	// Limits are its bounds.
	Limits Limits

	background bool // it may outlast the call
}

// Limits bound one command.
type Limits struct {
	// Timeout is how long it may run. It must be above zero.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL; zero skips SIGTERM.
	Grace time.Duration
	most  time.Duration // that a call may ask for
	// OutputBytes is how much is kept of stdout, of stderr and of both
	// together, each on its own; zero means 1 MiB.
	OutputBytes int64
	// SpillDir is a folder for files with all of the output, made when the
	// output is more than OutputBytes; empty for none. Whoever names it
	// removes it.
	SpillDir string
	// SpillBytes is how large the files of one command may grow together; zero
	// means 256 MiB. A folder takes more until it holds 1 GiB, and from each
	// command that writes then up to 16 MiB.
	SpillBytes int64
}

// outputBytes is OutputBytes, or what zero means.
func (l Limits) outputBytes() int64 { return cmp.Or(l.OutputBytes, 1<<20) }

// The sizes of terminals: at most, and where a call does not say.
const (
	maxPtySize               = 1000
	defaultCols, defaultRows = 80, 24
)

// Check refuses a command that no backend could run. Every backend calls it
// before it starts anything.
func (c Command) Check() error {
	switch {
	case (c.Line == "") == (len(c.Argv) == 0):
		return errors.New("expected a line or an argv, one of them")
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
	return c.Sandbox.check()
}

func checkPty(size sandbox.Size) error {
	if min(size.Cols, size.Rows) < 1 || max(size.Cols, size.Rows) > maxPtySize {
		return fmt.Errorf("a terminal of %d columns and %d rows; expected 1 to %d of each", size.Cols, size.Rows, maxPtySize)
	}
	return nil
}

// ExitStatus is how a command ended.
type ExitStatus struct {
	// ExitCode is the exit code of the first process; -1 where there is none.
	ExitCode int
	// Signal names the signal that ended it, such as "SIGKILL"; empty for none.
	Signal string
	// TimedOut is set when the deadline ended it.
	TimedOut bool
	// Cancelled is set when the end of its context, or its release, ended it.
	Cancelled bool
	// OOMKilled is set where the kernel is known to have ended one of its
	// processes for want of memory.
	OOMKilled bool
	starved   bool // so, also where the command succeeded, or another was meant
	// Duration is from the start to the exit of the first process.
	Duration time.Duration
	// network is what it asked of other hosts, where the sandbox has a proxy to a list of
	// them, or one that says no; nil for any other, and where it asked for none.
	network *egress.Account
}

// Output is a snapshot of what a command wrote. Both is in the order in which
// it was read; within one stream that is the order of writing.
type Output struct {
	Both, Stdout, Stderr Captured
	// SpillErr is why the files of Stdout and Stderr do not hold all of it; nil
	// if they do, and where there are none.
	SpillErr error
	// Status is how the command ended; nil while it runs.
	Status *ExitStatus
	// Refusals are what the sandbox is known to have kept the command from, once
	// it has ended. A refusal that only its words tell of is not among them.
	Refusals []Refusal
}

// StartError is a command that never ran.
type StartError struct {
	// Program is what was to be started; it may be empty.
	Program string
	// Err is why it was not.
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
