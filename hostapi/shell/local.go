package shell

import (
	"context"
	"crypto/rand"
	"sync"
	"syscall"
)

// Local is the [Backend] that starts processes of this machine. The zero value
// is ready; it must not be copied.
type Local struct {
	mu        sync.Mutex
	terminals map[TerminalID]*terminal
}

// marker is the variable by which the processes of a terminal are found again.
// Commands see it; its value is the terminal's id.
const marker = "SCRIPTRUN_TERMINAL"

// Create implements [Backend].
func (l *Local) Create(ctx context.Context, command Command) (TerminalID, error) {
	if err := command.check(); err != nil {
		return "", &StartError{Err: err}
	}
	if err := context.Cause(ctx); err != nil {
		return "", &StartError{Err: err}
	}
	id := TerminalID(rand.Text())
	command.Context = command.Context.WithEnv(marker, string(id))
	t, err := startTerminal(ctx, command, marker+"="+string(id))
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.terminals == nil {
		l.terminals = map[TerminalID]*terminal{}
	}
	l.terminals[id] = t
	return id, nil
}

// Output implements [Backend].
func (l *Local) Output(id TerminalID, since int64) (Output, error) {
	t, err := l.terminal(id)
	if err != nil {
		return Output{}, err
	}
	return t.output(since), nil
}

// Wait implements [Backend].
func (l *Local) Wait(ctx context.Context, id TerminalID) (ExitStatus, error) {
	t, err := l.terminal(id)
	if err != nil {
		return ExitStatus{}, err
	}
	select {
	case <-t.done:
		return t.status, nil
	default:
	}
	select {
	case <-t.done:
		return t.status, nil
	case <-ctx.Done():
		return ExitStatus{}, context.Cause(ctx)
	}
}

// Kill implements [Backend].
func (l *Local) Kill(id TerminalID, signal syscall.Signal) error {
	t, err := l.terminal(id)
	if err != nil {
		return err
	}
	t.kill(signal)
	return nil
}

// Release implements [Backend].
func (l *Local) Release(id TerminalID) error {
	l.mu.Lock()
	t := l.terminals[id]
	delete(l.terminals, id)
	l.mu.Unlock()
	if t != nil {
		t.release()
	}
	return nil
}

// Close releases every terminal that is still there, all at once. A host calls
// it when a run ends, for those that the run forgot. Local stays usable.
func (l *Local) Close() error {
	l.mu.Lock()
	left := l.terminals
	l.terminals = nil
	l.mu.Unlock()
	var ended sync.WaitGroup
	for _, t := range left {
		ended.Go(t.release)
	}
	ended.Wait()
	return nil
}

func (l *Local) terminal(id TerminalID) (*terminal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.terminals[id]
	if !ok {
		return nil, ErrNotFound
	}
	return t, nil
}
