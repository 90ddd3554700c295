package shell

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// job is a command of the tool, in the foreground or the background, from its start to
// its release.
type job struct {
	backend Backend
	id      TerminalID
	command Command
	dropped []string
	end     context.CancelFunc // ends the command
	waiting sync.RWMutex       // held while somebody waits
	once    sync.Once
	remove  func() // deletes what was made for the command
	files   wholeFiles
	telling *sync.Mutex // held while it is found out how a command with much output ended
}

// settleTime is how long after the grace a backend may take to report the end of a
// command.
const settleTime = 3 * time.Second

// Wait implements [hostapi.Handle]. Nothing is made for a run that is over, and nothing is
// copied for those that waited for a command in the background: End says how that ended.
func (j *job) Wait(ctx context.Context) (hostapi.Result, error) {
	j.waiting.RLock()
	defer j.waiting.RUnlock()
	status, err := j.status(ctx)
	if err != nil {
		return hostapi.Result{}, err
	}
	over := hostapi.Waited(ctx)
	if over != nil && j.command.background {
		return hostapi.Result{}, over
	}
	if over == nil {
		_, over = hostapi.Turn(ctx, j.kept(0))
	}
	if over != nil {
		return j.tell(status)
	}
	output, err := j.captured()
	if err != nil {
		return hostapi.Result{}, err
	}
	if _, over = hostapi.Turn(ctx, output.size()); over != nil {
		return j.tell(status)
	}
	return report(status, output, j.command, j.dropped, refusals(j.command, status, output), &j.files), nil
}

// End implements [hostapi.Ender].
func (j *job) End(ctx context.Context) (hostapi.Result, error) {
	j.waiting.RLock()
	defer j.waiting.RUnlock()
	status, err := j.status(ctx)
	if err != nil {
		return hostapi.Result{}, err
	}
	return j.tell(status)
}

// tell is how the command ended, without its output. That takes no turn, since it is wanted of runs
// that are over as well: where there is much output, one command is told of at a time.
func (j *job) tell(status ExitStatus) (hostapi.Result, error) {
	if j.kept(0) > hostapi.LargeResult && j.telling != nil {
		j.telling.Lock()
		defer j.telling.Unlock()
	}
	output, err := j.captured()
	if err != nil {
		return hostapi.Result{}, err
	}
	return told(status, output, j.command, j.dropped, refusals(j.command, status, output)), nil
}

// sized is a [Backend] that knows how many bytes of output it has kept after byte since.
type sized interface {
	kept(id TerminalID, since int64) int64
}

// kept is how many bytes of output there are after byte since; zero where only they themselves tell.
func (j *job) kept(since int64) int64 {
	if b, ok := j.backend.(sized); ok {
		return b.kept(j.id, since)
	}
	return 0
}

// captured is all that was kept of the output; nothing of a command that was forgotten.
func (j *job) captured() (Output, error) {
	output, err := j.backend.Output(j.id, 0)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return output, err
}

// status waits until the command has ended, or ctx has.
func (j *job) status(ctx context.Context) (ExitStatus, error) {
	// The backend ends the command. The bound is for a backend that does not.
	bounded, stop := boundedWait(ctx, j.command.Limits)
	defer stop()
	status, err := j.backend.Wait(bounded, j.id)
	switch {
	case err != nil && ctx.Err() != nil:
		status = ExitStatus{ExitCode: -1, Cancelled: true}
	case err != nil && bounded.Err() != nil:
		status = ExitStatus{ExitCode: -1, TimedOut: true, Duration: j.command.Limits.Timeout}
	case err != nil:
		return ExitStatus{}, err
	}
	return status, nil
}

// Close implements [hostapi.Handle]. A Wait under way still gets the output.
func (j *job) Close() error {
	var err error
	j.once.Do(func() {
		j.end()
		j.waiting.Lock() // until Wait has the output
		defer j.waiting.Unlock()
		err = j.backend.Release(j.id)
		j.remove()
	})
	return err
}

// boundedWait is a context that ends later than ctx, and than the command's deadline, by
// the time that ending a command may take.
func boundedWait(ctx context.Context, limits Limits) (context.Context, context.CancelFunc) {
	late := limits.Grace + settleTime
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Timeout+late)
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(late)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-bounded.Done():
		}
	})
	return bounded, func() { stop(); cancel() }
}

// signalNamed is a signal by its name, with or without SIG; SIGTERM for "".
func signalNamed(name string) (syscall.Signal, error) {
	if name == "" {
		return syscall.SIGTERM, nil
	}
	full := strings.ToUpper(name)
	if !strings.HasPrefix(full, "SIG") {
		full = "SIG" + full
	}
	if signal := signalNumber(full); signal != 0 {
		return signal, nil
	}
	return 0, fmt.Errorf("unknown signal %q; expected a name such as SIGTERM, SIGINT or SIGKILL", name)
}
