package acp

import (
	"context"
	"math"
	"sync"
	"time"

	acpsdk "github.com/coder/acp-go-sdk"
	"github.com/scriptrun/scriptrun/hostapi/shell"
)

// cause is why a command is ended before it ended by itself.
type cause int

const (
	byItself cause = iota
	byDeadline
	byCancel
	byKill
)

// terminal is one command that the client runs.
type terminal struct {
	backend *Backend
	id      string
	limits  shell.Limits
	began   time.Time

	life context.Context // of the request that waits; it outlives the command
	quit context.CancelFunc

	done   chan struct{} // status and err are final
	status shell.ExitStatus
	err    error

	mu     sync.Mutex
	why    cause
	killed bool
	killer error
}

// newTerminal watches over a command that the client has started.
func newTerminal(ctx context.Context, b *Backend, id string, limits shell.Limits) *terminal {
	t := &terminal{backend: b, id: id, limits: limits, began: time.Now(), done: make(chan struct{})}
	t.life, t.quit = context.WithCancel(context.WithoutCancel(ctx))
	go t.run(ctx)
	return t
}

// run asks once for the exit, and has the command killed when it must end.
func (t *terminal) run(ctx context.Context) {
	deadline := time.AfterFunc(t.limits.Timeout, func() { _ = t.kill(byDeadline) }) //nolint:contextcheck // the deadline is nobody else's
	defer deadline.Stop()
	unwatch := context.AfterFunc(ctx, func() { _ = t.kill(byCancel) }) //nolint:contextcheck // ctx has ended by then
	defer unwatch()
	//nolint:contextcheck // the request outlives ctx, which only has the command killed
	exit, err := t.backend.client.WaitForTerminalExit(t.life, acpsdk.WaitForTerminalExitRequest{SessionId: t.backend.session, TerminalId: t.id})
	t.mu.Lock()
	why := t.why
	t.killed = true // there is nothing left to kill
	t.mu.Unlock()
	t.status = shell.ExitStatus{
		ExitCode: -1, TimedOut: why == byDeadline, Cancelled: why == byCancel, Duration: time.Since(t.began),
	}
	switch {
	case err == nil:
		t.status.ExitCode, t.status.Signal = exitOf(exit.ExitCode, exit.Signal)
	case why == byItself || t.life.Err() == nil:
		t.err = &ClientError{"terminal/wait_for_exit", err}
	}
	close(t.done)
	t.quit()
}

// exitOf reads an exit as the protocol has it: a code of 32 bits without a
// sign, or a signal, or neither.
func exitOf(code *int, signal *string) (int, string) {
	switch {
	case signal != nil && *signal != "":
		return -1, *signal
	case code == nil || *code < 0 || *code > math.MaxInt32:
		return -1, ""
	}
	return *code, ""
}

// kill has the client kill the command, once. A client that then does not tell
// of the end is not waited for.
func (t *terminal) kill(why cause) error {
	t.mu.Lock()
	if t.killed {
		defer t.mu.Unlock()
		return t.killer
	}
	t.killed, t.why = true, why
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.life), answerTime)
	defer cancel()
	time.AfterFunc(t.limits.Grace+settleTime, t.quit)
	_, err := t.backend.client.KillTerminal(ctx, acpsdk.KillTerminalRequest{SessionId: t.backend.session, TerminalId: t.id})
	if err == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.killer = &ClientError{"terminal/kill", err}
	return t.killer
}

// release ends the command and forgets it at the client.
func (t *terminal) release() error {
	t.mu.Lock()
	if !t.killed {
		t.why = byCancel
	}
	t.killed = true // releasing kills
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.life), answerTime)
	defer cancel()
	_, err := t.backend.client.ReleaseTerminal(ctx, acpsdk.ReleaseTerminalRequest{SessionId: t.backend.session, TerminalId: t.id})
	// The answer to the request that waits is still to come; a client that owes
	// it is not waited for.
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	select {
	case <-t.done:
	case <-settled.C:
		t.quit()
		<-t.done
	}
	if err != nil {
		return &ClientError{"terminal/release", err}
	}
	return nil
}

// output asks the client what there is.
func (t *terminal) output(since int64) (shell.Output, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.life), answerTime)
	defer cancel()
	got, err := t.backend.client.TerminalOutput(ctx, acpsdk.TerminalOutputRequest{SessionId: t.backend.session, TerminalId: t.id})
	if err != nil {
		return shell.Output{}, &ClientError{"terminal/output", err}
	}
	all := shell.Captured{Tail: []byte(got.Output), Total: int64(len(got.Output))}
	if got.Truncated {
		all.Dropped = -1
	} else {
		all.Since = min(max(since, 0), all.Total)
		all.Tail = all.Tail[all.Since:]
	}
	out := shell.Output{Both: all, Stdout: all}
	select {
	case <-t.done:
		status := t.status
		out.Status = &status
	default:
	}
	return out, nil
}
