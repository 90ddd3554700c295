package shell

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/internal/egress"
	"github.com/scriptrun/scriptrun/hostapi/internal/presets"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// Local is the [Backend] that starts processes of this machine, confined as
// [Command.Sandbox] says. The zero value is ready; it must not be copied.
//
// Close ends what commands share. A host that exits or dies without Close leaves
// nothing behind either.
type Local struct {
	mu        sync.Mutex
	site      *site          // nil until the first command
	reaching  egress.Options // for tests: how names are looked up
	terminals map[TerminalID]*terminal
}

var _ Interactive = (*Local)(nil)

// site is what commands share until Close.
type site struct {
	starting sync.WaitGroup // commands that are about to be terminals
	running  sync.WaitGroup // terminals that are not cleaned up yet
	boxes    boxes
	guards   guards
	answers  answers
	end      context.CancelFunc // of its life
	reaching egress.Options

	mu     sync.Mutex
	folder string // for temporary files of commands; empty until the first use
}

// Create implements [Backend].
func (l *Local) Create(ctx context.Context, command Command) (TerminalID, error) {
	if err := command.Check(); err != nil {
		return "", &StartError{Err: err}
	}
	if err := context.Cause(ctx); err != nil {
		return "", &StartError{Err: err}
	}
	s, err := l.open()
	if err != nil {
		return "", &StartError{Err: err}
	}
	defer s.starting.Done()
	if command.Sandbox.outputs != "" && l.accompanied(command) {
		command.Sandbox.outputs = ""
	}
	t, err := startTerminal(ctx, s, command)
	if err != nil {
		return "", err
	}
	id := TerminalID(rand.Text())
	l.mu.Lock()
	closed := l.site != s
	if !closed {
		l.terminals[id] = t
	}
	l.mu.Unlock()
	if closed {
		t.release()
		t.unheard()
		return "", &StartError{Err: errors.New("the backend was closed")}
	}
	return id, nil
}

// open is the site, with one more command in starting.
func (l *Local) open() (*site, error) {
	if !supported {
		return nil, fmt.Errorf("commands cannot be run on this system: %w", errors.ErrUnsupported)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.site == nil {
		life, end := context.WithCancel(context.Background())
		l.site, l.terminals = &site{reaching: l.reaching, answers: answers{life: life}, end: end}, map[TerminalID]*terminal{}
	}
	l.site.starting.Add(1)
	return l.site, nil
}

// scratch is a folder for temporary files of commands, with links followed. It is
// removed with the site.
func (l *Local) scratch() (string, error) {
	s, err := l.open()
	if err != nil {
		return "", err
	}
	defer s.starting.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == "" {
		dir, err := sandbox.MakeTemp()
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return "", err
		}
		s.folder = dir
	}
	return s.folder, nil
}

// Confinement says what this machine enforces on commands in a sandbox and what it
// does not. It fails if there can be no such sandbox at all.
func (l *Local) Confinement(where ExecContext, confined Sandbox) ([]hostapi.Measure, error) {
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	defer s.starting.Done()
	confined.Require = false
	if err := confined.in(where).check(); err != nil {
		return nil, err
	}
	command := Command{Context: where, Sandbox: confined}
	var visit *protect.Visit
	if guard, folders := s.guarded(command); guard != nil {
		visit = guard.Peek(folders)
	}
	policy, key := policyOf(command, visit)
	b, err := s.boxFor(s.answers.life, command, policy, key, false)
	if err != nil {
		return nil, err
	}
	defer s.boxes.give(b)
	return append(b.Measures(), b.reach.measure()...), nil
}

// boxFor takes the sandbox of a policy; the caller gives it back. With anew, tools of
// presets that did not answer in time before are asked again.
func (s *site) boxFor(ctx context.Context, command Command, policy sandbox.Policy, key string, anew bool) (*readyBox, error) {
	return s.boxes.take(ctx, key, func() (*sandbox.Box, *reach, error) {
		return openBox(command.Sandbox, policy, s.reaching, func(machine presets.Machine, name, key string) (presets.Preset, error) {
			return s.answers.find(ctx, machine, name, key, anew)
		})
	})
}

// Output implements [Backend].
func (l *Local) Output(id TerminalID, since int64) (Output, error) {
	t, err := l.terminal(id)
	if err != nil {
		return Output{}, err
	}
	return t.output(since), nil
}

// kept implements sized.
func (l *Local) kept(id TerminalID, since int64) int64 {
	t, err := l.terminal(id)
	if err != nil {
		return 0
	}
	return t.record.kept(since)
}

// Wait implements [Backend].
func (l *Local) Wait(ctx context.Context, id TerminalID) (ExitStatus, error) {
	t, err := l.terminal(id)
	if err != nil {
		return ExitStatus{}, err
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		if !closed(t.done) {
			return ExitStatus{}, context.Cause(ctx)
		}
	}
	return t.status, nil
}

// WaitOutput implements [Interactive].
func (l *Local) WaitOutput(ctx context.Context, id TerminalID, since int64) error {
	t, err := l.terminal(id)
	if err != nil {
		return err
	}
	return t.waitOutput(ctx, since)
}

// Write implements [Interactive].
func (l *Local) Write(ctx context.Context, id TerminalID, p []byte) error {
	t, err := l.terminal(id)
	if err != nil {
		return err
	}
	return t.pipes.input.write(ctx, p)
}

// CloseInput implements [Interactive].
func (l *Local) CloseInput(ctx context.Context, id TerminalID) error {
	t, err := l.terminal(id)
	if err != nil {
		return err
	}
	return t.pipes.input.end(ctx)
}

// Resize implements [Interactive].
func (l *Local) Resize(id TerminalID, size sandbox.Size) error {
	t, err := l.terminal(id)
	if err != nil {
		return err
	}
	return t.resize(size)
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

// Close releases all terminals that are left, at the same time, and removes what
// commands shared. Local stays usable.
func (l *Local) Close() error {
	l.mu.Lock()
	left, s := l.terminals, l.site
	l.terminals, l.site = nil, nil
	l.mu.Unlock()
	if s == nil {
		return nil
	}
	s.end()
	var ended sync.WaitGroup
	for _, t := range left {
		ended.Go(t.release)
	}
	ended.Wait()
	s.starting.Wait()
	s.running.Wait()
	s.answers.asking.Wait()
	s.boxes.close()
	if s.folder == "" {
		return nil
	}
	// Files that commands left in their home may be read-only.
	return errors.Join(homesIn(s.folder).Clear(), sandbox.RemoveTemp(s.folder))
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
