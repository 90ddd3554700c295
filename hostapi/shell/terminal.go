package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/egress"
	"github.com/scriptrun/scriptrun/hostapi/protect"
	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// drain is how long output is still read after the first process has exited while
// another one holds its streams.
const drain = 250 * time.Millisecond

// terminal is one command from its start to its end.
type terminal struct {
	site    *site
	box     *readyBox
	visit   *protect.Visit    // nil where nothing needs protection from the command
	secrets sandbox.Newcomers // what stood at the names of secrets before
	process *sandbox.Process
	pipes   *pipes
	limits  Limits
	// background and outputs are what the command was started with.
	background bool
	outputs    string
	record     *recorder
	began      time.Time
	pass       *egress.Pass // its pass for the proxy; nil without a proxy

	done chan struct{} // closed when status is final and no process is left

	status   ExitStatus // set before done is closed, as refusals are
	refusals []Refusal
	away     []protect.Away

	mu     sync.Mutex
	why    cause         // why it is being ended
	ending chan struct{} // closed when it has been ended; nil if nobody asked
	over   bool          // it has exited by itself, or is being ended
}

// cause is why a command is ended before it exits by itself.
type cause int

const (
	byItself cause = iota
	byDeadline
	byCancel
	byKill
)

// startTerminal starts a command, and a goroutine that sees it to its end.
func startTerminal(ctx context.Context, s *site, command Command) (*terminal, error) {
	path, argv, err := command.program()
	if err != nil {
		return nil, err
	}
	failed := func(err error) (*terminal, error) { return nil, &StartError{Program: argv[0], Err: err} }
	limit := command.Limits.Timeout
	preparing, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("preparing it took the command's whole time, %v", limit))
	defer stop()
	t := &terminal{began: time.Now(), site: s, limits: command.Limits, background: command.background, outputs: command.Sandbox.outputs, record: newRecorder(command.Limits, command.Watch), done: make(chan struct{})}
	if guard, folders := s.guarded(command); guard != nil {
		if t.visit, err = guard.Enter(preparing, folders); err != nil {
			return failed(err)
		}
	}
	policy, key := policyOf(command, t.visit)
	if t.box, err = s.boxFor(preparing, command, policy, key, true); err != nil {
		t.leave() //nolint:contextcheck // it is done even if the call has ended
		t.unheard()
		return failed(err)
	}
	t.secrets = t.box.SecretNames()
	cmd := &exec.Cmd{Path: path, Args: argv, Dir: command.Context.Cwd(), Env: command.Context.Env()}
	t.pass = t.box.reach.enter(cmd, command.Context)
	t.began = time.Now()
	if err = t.start(cmd, command); err != nil {
		t.leave() //nolint:contextcheck // it is done even if the call has ended
		t.unheard()
		t.cleanUp()
		return failed(err)
	}
	reading := t.pipes.pump(t.record, command)
	s.running.Go(func() { t.run(ctx, reading) })
	return t, nil
}

// start starts the command with its streams.
func (t *terminal) start(cmd *exec.Cmd, command Command) (err error) {
	if command.Pty == nil {
		if t.pipes, err = openPipes(cmd, command.Stdin != nil || command.Input); err != nil {
			return err
		}
		defer t.pipes.closeTheirs()
		t.process, err = t.box.Start(cmd)
		return err
	}
	if _, has := command.Context.Lookup("TERM"); !has {
		cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	}
	var ours *os.File
	if t.process, ours, err = t.box.StartPty(cmd, *command.Pty); err == nil {
		t.pipes = &pipes{stdout: ours, input: newInput(ours, true), terminal: true}
	}
	return err
}

// resize changes the size of the command's terminal.
func (t *terminal) resize(size sandbox.Size) error {
	if !t.pipes.terminal {
		return errNoPty
	}
	if closed(t.done) {
		return errEnded
	}
	if err := sandbox.Resize(t.pipes.stdout, size); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return errEnded
}

// run sees the command to its end. A deadline or a cancellation calls [terminal.ask]
// from a goroutine of its own, so that an ordinary command needs no further one.
func (t *terminal) run(ctx context.Context, reading <-chan struct{}) {
	deadline := time.AfterFunc(time.Until(t.began.Add(t.limits.Timeout)), func() { t.ask(byDeadline) })
	unwatch := context.AfterFunc(ctx, func() { t.ask(byCancel) })

	<-t.process.Exited()
	t.status.Duration = time.Since(t.began)
	deadline.Stop()
	unwatch()

	why, ending := t.finish()
	if ending != nil {
		<-ending
	}
	t.pipes.end(reading, drain)
	t.process.End(t.limits.Grace)
	t.leave() //nolint:contextcheck // it is done even if the call has ended
	t.record.end()
	t.status.ExitCode, t.status.Signal = t.process.Status()
	t.status.OOMKilled, t.status.starved = t.process.OOMKilled(), t.process.Starved()
	t.status.TimedOut, t.status.Cancelled = why == byDeadline, why == byCancel
	t.status.network = t.disconnect()
	if t.status.network != nil {
		t.refusals = append(t.refusals, networkRefusals(t.status.network)...)
	}
	if err := t.process.Failure(); err != nil {
		t.refusals = append(t.refusals, Refusal{What: "to go on, and ended all its commands: " + err.Error()})
	}
	// Nobody needs to wait for this.
	t.site.running.Go(t.cleanUp)
	close(t.done)
}

// finish says why the command ended, and returns ending.
func (t *terminal) finish() (cause, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	return t.why, t.ending
}

// ask ends the command. It returns at once. The first cause is the one in the status.
func (t *terminal) ask(why cause) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.over, t.why = true, why
	ending := make(chan struct{})
	t.ending = ending
	go func() {
		defer close(ending)
		t.process.Stop(t.limits.Grace)
	}()
}

// leave puts away files of the command that would run by themselves, and reports what
// came at the names of secrets. The latter stays: a person may have made it, and commands
// can read the trash.
func (t *terminal) leave() {
	if came := t.secrets.Came(); len(came) > 0 {
		t.refusals = append(t.refusals, newSecrets(came))
	}
	if t.visit == nil {
		return
	}
	t.away = t.visit.Leave()
	t.refusals = append(t.refusals, putAways(t.away)...)
}

// unheard keeps what was put away for the next command to tell, since nobody hears of it.
func (t *terminal) unheard() {
	if len(t.away) > 0 {
		t.visit.Keep(t.away)
	}
}

// disconnect ends the command's connections to other hosts.
func (t *terminal) disconnect() *egress.Account { return t.box.reach.account(t.pass) }

// cleanUp releases what the command used.
func (t *terminal) cleanUp() {
	if t.pipes != nil {
		t.pipes.closeOurs()
	}
	t.disconnect()
	t.site.boxes.give(t.box)
}

// output is a snapshot from byte since on.
func (t *terminal) output(since int64) Output {
	out := t.record.snapshot(since)
	if closed(t.done) {
		status := t.status
		out.Status, out.Refusals, out.unheard, out.visit = &status, t.refusals, t.unheard, t.visit
	}
	return out
}

// waitOutput waits for output after byte since, or the end.
func (t *terminal) waitOutput(ctx context.Context, since int64) error {
	more := t.record.more(since)
	if more == nil {
		return nil
	}
	select {
	case <-more:
	case <-t.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// kill signals the process tree. SIGTERM is followed by SIGKILL after the grace.
func (t *terminal) kill(signal syscall.Signal) {
	if signal == syscall.SIGTERM {
		t.ask(byKill)
		return
	}
	t.process.Signal(signal)
}

// release ends the command and waits until nothing of it runs.
func (t *terminal) release() {
	t.ask(byCancel)
	<-t.done
}
