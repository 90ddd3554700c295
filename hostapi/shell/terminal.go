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
)

// drain is how long output is still read once the first process has exited and
// something else holds its streams.
const drain = 250 * time.Millisecond

// terminal is one command from its start to its end.
type terminal struct {
	site   *site
	box    *readyBox
	cmd    *exec.Cmd
	pipes  *pipes
	temp   string  // its own folder for temporary files; empty for none
	group  *cgroup // nil for none
	tree   tree
	limits Limits
	record *recorder
	began  time.Time

	exited chan struct{} // the first process has exited; it may not be reaped
	done   chan struct{} // status is final, and no process is left

	status ExitStatus // written before done is closed

	mu     sync.Mutex
	why    cause         // why it is being ended
	ending chan struct{} // closed when that has been done; nil if nobody asked
	over   bool          // it has exited by itself, or is being ended
	ended  bool          // nothing may be signalled any more
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
func startTerminal(ctx context.Context, s *site, command Command) (*terminal, error) {
	path, argv, err := command.program()
	if err != nil {
		return nil, err
	}
	failed := func(err error) (*terminal, error) { return nil, &StartError{Program: argv[0], Err: err} }
	box, err := s.boxFor(command.Context, command.Sandbox)
	if err != nil {
		return failed(err)
	}
	t := &terminal{
		site: s, limits: command.Limits, record: newRecorder(command.Limits),
		exited: make(chan struct{}), done: make(chan struct{}),
		box: box,
		cmd: &exec.Cmd{Path: path, Args: argv, Dir: command.Context.Cwd(), SysProcAttr: processAttributes()},
	}
	if err := t.furnish(command); err != nil {
		t.cleanUp()
		return failed(err)
	}
	if t.pipes, err = openPipes(t.cmd, command.Stdin != nil); err != nil {
		t.cleanUp()
		return failed(err)
	}
	t.began = time.Now()
	mark := s.mark.of()
	var before func(*os.Process)
	if t.group == nil && s.halts {
		before = mark.put
	}
	err = box.start(t.cmd, before)
	t.pipes.closeTheirs()
	if err != nil {
		t.cleanUp()
		var known *os.PathError
		if errors.As(err, &known) {
			err = known.Err // the path in it may be that of the directory, or of the shell
		}
		return failed(err)
	}
	leader := t.cmd.Process.Pid
	if t.group != nil {
		t.group.leader, t.tree = leader, t.group
	} else {
		if before == nil {
			mark.put(t.cmd.Process)
		}
		t.tree = newTree(leader, mark)
		s.keeper.tell(fmt.Sprintf("+%d", leader))
	}
	s.running.Go(func() { t.run(ctx, command.Stdin) })
	return t, nil
}

// furnish gives the command what it has for itself: a folder for temporary
// files, and a control group where there are any.
func (t *terminal) furnish(command Command) (err error) {
	where := command.Context
	if !command.Sandbox.off() {
		if t.temp, err = t.site.takeTemp(); err != nil {
			return err
		}
		where = where.WithEnv("TMPDIR", t.temp)
	}
	t.cmd.Env = where.Env()
	if t.group, err = t.site.takeGroup(); err != nil || t.group == nil {
		return err
	}
	t.group.startIn(t.cmd)
	return nil
}

// run sees the command to its end. What ends it earlier asks for that from
// other goroutines, so that an ordinary command needs none of them.
func (t *terminal) run(ctx context.Context, stdin []byte) {
	reading := t.pipes.pump(t.record, stdin)
	deadline := time.AfterFunc(time.Until(t.began.Add(t.limits.Timeout)), func() { t.ask(byDeadline) })
	unwatch := context.AfterFunc(ctx, func() { t.ask(byCancel) })

	// While it is not reaped its ids cannot belong to anybody else, so that
	// its group can be signalled safely.
	pinned := awaitExit(t.cmd.Process.Pid)
	if !pinned {
		_ = t.cmd.Wait() // the state tells
	}
	t.status.Duration = time.Since(t.began)
	close(t.exited)
	deadline.Stop()
	unwatch()

	why, ending := t.finish()
	if ending != nil {
		<-ending
	}
	t.pipes.expire(drain)
	<-reading
	endTree(t.tree, t.limits.Grace, t.exited)
	t.record.end()

	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	if pinned {
		_ = t.cmd.Wait()
	}
	t.status.ExitCode, t.status.Signal = exitOf(t.cmd.ProcessState)
	t.status.TimedOut, t.status.Cancelled = why == byDeadline, why == byCancel
	if t.group != nil && t.status.Signal == "SIGKILL" {
		t.status.OOMKilled = t.group.oomKilled()
	}
	// Whoever waits need not wait for the rest; as a goroutine that was made
	// before it is woken, it does not run in its place either.
	t.site.running.Go(t.cleanUp)
	close(t.done)
}

// finish says why the command ended, and what to wait for if somebody is at it.
func (t *terminal) finish() (cause, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	return t.why, t.ending
}

// ask has the command ended. It returns at once; the first who asks decides
// what the status will say.
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
		endTree(t.tree, t.limits.Grace, t.exited)
	}()
}

// cleanUp removes what the command used. Errors are not told: a leftover is
// removed with the site.
func (t *terminal) cleanUp() {
	if t.pipes != nil {
		t.pipes.closeOurs()
	}
	switch {
	case t.group != nil:
		t.site.returnGroup(t.group)
	case t.cmd.Process != nil:
		t.site.keeper.tell(fmt.Sprintf("-%d", t.cmd.Process.Pid))
	}
	if t.temp != "" {
		t.site.returnTemp(t.temp)
	}
	t.site.boxes.give(t.box)
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
