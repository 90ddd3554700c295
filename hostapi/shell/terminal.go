package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"sync"
	"syscall"
	"time"
)

// drain is how long output is still read once the first process has exited and
// something else holds its streams.
const drain = 250 * time.Millisecond

// terminal is one command from its start to its end.
type terminal struct {
	limits Limits
	record *recorder
	tree   *tree
	stop   chan cause // requests to end it; buffered, the first one counts

	exited  chan struct{} // the first process has exited; it may not be reaped
	cleaned chan struct{} // nothing that it started is left
	done    chan struct{} // status is final

	status ExitStatus // written before done is closed

	mu    sync.Mutex // guards ended
	ended bool       // done is closed or about to be: nothing may be signalled
}

// cause is why a command is ended before it exited by itself.
type cause int

const (
	byItself cause = iota
	byDeadline
	byCancel
	byKill
)

// startTerminal starts the command and what watches over it.
func startTerminal(ctx context.Context, command Command, mark string) (*terminal, error) {
	if !supported {
		return nil, &StartError{Err: fmt.Errorf("commands cannot be run on this system: %w", errors.ErrUnsupported)}
	}
	path, argv, err := command.program()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Dir: command.Context.Cwd(), Env: command.Context.Env()}
	cmd.SysProcAttr = processAttributes()
	t := &terminal{
		limits: command.Limits, record: newRecorder(command.Limits.OutputBytes), stop: make(chan cause, 1),
		exited: make(chan struct{}), cleaned: make(chan struct{}), done: make(chan struct{}),
	}
	pipes, err := openPipes(cmd, command.Stdin != nil)
	if err != nil {
		return nil, &StartError{Program: argv[0], Err: err}
	}
	started := time.Now()
	timer := time.NewTimer(command.Limits.Timeout)
	failed := make(chan error)
	go t.hold(cmd, failed)
	err = <-failed
	pipes.closeTheirs()
	if err != nil {
		timer.Stop()
		pipes.closeOurs()
		var known *os.PathError
		if errors.As(err, &known) {
			err = known.Err // the path in it may be that of the directory, or of the shell
		}
		return nil, &StartError{Program: argv[0], Err: err}
	}
	t.tree = newTree(cmd.Process.Pid, mark)
	go t.watch(ctx, pipes, command.Stdin, started, timer)
	return t, nil
}

// hold starts the first process and stays on its thread until that process is
// reaped, since its death signal comes when the thread that started it ends.
func (t *terminal) hold(cmd *exec.Cmd, failed chan<- error) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	err := cmd.Start()
	failed <- err
	if err != nil {
		return
	}
	// While it is not reaped its ids cannot belong to anybody else, so that
	// its group can be signalled safely.
	pinned := awaitExit(cmd.Process.Pid)
	if !pinned {
		_ = cmd.Wait() // the state tells
	}
	close(t.exited)
	<-t.cleaned
	if pinned {
		_ = cmd.Wait()
	}
	t.status.ExitCode, t.status.Signal = ending(cmd.ProcessState)
	close(t.done)
}

// watch ends the command when it must end, then everything it left behind.
func (t *terminal) watch(ctx context.Context, pipes *pipes, stdin []byte, started time.Time, timer *time.Timer) {
	defer timer.Stop()
	reading := pipes.pump(t.record, stdin)

	why := byItself
	select {
	case <-t.exited:
	case <-timer.C:
		why = byDeadline
	case <-ctx.Done():
		why = byCancel
	case why = <-t.stop:
	}
	if why != byItself {
		t.tree.end(t.limits.Grace, t.exited)
		<-t.exited
	}
	duration := time.Since(started)
	pipes.expire(drain)
	<-reading
	t.tree.end(t.limits.Grace, t.exited)
	pipes.closeOurs()

	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.status.Duration = duration
	t.status.TimedOut, t.status.Cancelled = why == byDeadline, why == byCancel
	close(t.cleaned)
}

// output is a snapshot from byte since of both streams on.
func (t *terminal) output(since int64) Output {
	out := t.record.snapshot(since)
	select {
	case <-t.done:
		status := t.status
		out.Status = &status
	default:
	}
	return out
}

// kill signals the tree. SIGTERM asks for the whole ending, grace and all.
func (t *terminal) kill(signal syscall.Signal) {
	if signal == syscall.SIGTERM {
		t.ask(byKill)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.tree.signal(signal)
	}
}

// release ends the command and waits until nothing of it is left.
func (t *terminal) release() {
	t.ask(byCancel)
	<-t.done
}

func (t *terminal) ask(why cause) {
	select {
	case t.stop <- why:
	default: // somebody asked before
	}
}
