package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// job is a command of the tool from its start to its release: the
// foreground waits for it at once, the background when the script does.
type job struct {
	backend Backend
	id      TerminalID
	command Command
	dropped []string
	end     context.CancelFunc // ends the command
	waiting sync.RWMutex       // held while somebody waits
	once    sync.Once
	remove  func() // takes away what was made for the command
}

// settleTime is what a backend gets, beyond the grace, to say how a command
// ended that it was told to end.
const settleTime = 3 * time.Second

// Wait implements [hostapi.Handle].
func (j *job) Wait(ctx context.Context) (hostapi.Result, error) {
	j.waiting.RLock()
	defer j.waiting.RUnlock()
	// The backend ends the command; this bounds one that does not.
	bounded, stop := boundedWait(ctx, j.command.Limits)
	defer stop()
	status, err := j.backend.Wait(bounded, j.id)
	switch {
	case err != nil && ctx.Err() != nil:
		status = ExitStatus{ExitCode: -1, Cancelled: true}
	case err != nil && bounded.Err() != nil:
		status = ExitStatus{ExitCode: -1, TimedOut: true, Duration: j.command.Limits.Timeout}
	case err != nil:
		return hostapi.Result{}, err
	}
	output, err := j.backend.Output(j.id, 0)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return hostapi.Result{}, err
	}
	return report(status, output, j.command.Limits, j.command.Context.Name(), j.dropped), nil
}

// Close implements [hostapi.Handle]. What the command wrote before it was
// ended is in the result of Wait.
func (j *job) Close() error {
	var err error
	j.once.Do(func() {
		j.end()
		j.waiting.Lock() // what was written is in a result first
		defer j.waiting.Unlock()
		err = j.backend.Release(j.id)
		j.remove()
	})
	return err
}

// boundedWait is a context that outlasts ctx, and the command's deadline, by
// the time that an ending may take.
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

// snapshot is the answer to "output".
type snapshot struct {
	Output    string `json:"output"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Next      int64  `json:"next"` // what to give as since, for what comes after this
	Running   bool   `json:"running"`
	ExitCode  *int   `json:"exitCode"`
	Signal    string `json:"signal"`
	TimedOut  bool   `json:"timedOut"`
	Truncated bool   `json:"truncated"`
}

// Operate implements [hostapi.Handle].
func (j *job) Operate(_ context.Context, operation string, raw json.RawMessage) (hostapi.Result, error) {
	var args struct {
		Since  int64  `json:"since"`
		Signal string `json:"signal"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return hostapi.Result{}, fmt.Errorf("%s: %w", operation, err)
	}
	switch operation {
	case "output":
		if args.Since < 0 {
			return hostapi.Result{}, fmt.Errorf("since is %d; expected a number of bytes, such as next of the output before", args.Since)
		}
		out, err := j.backend.Output(j.id, args.Since)
		if err != nil {
			return hostapi.Fail(err.Error()), nil
		}
		return j.seen(out), nil
	case "kill":
		signal, err := signalNamed(args.Signal)
		if err != nil {
			return hostapi.Result{}, err
		}
		if err := j.backend.Kill(j.id, signal); err != nil {
			return hostapi.Fail(err.Error()), nil
		}
		return hostapi.Succeed(""), nil
	}
	return hostapi.Result{}, fmt.Errorf("there is no operation %q; there are output, wait, kill and release", operation)
}

// seen is a snapshot as a result, within the limit of results.
func (j *job) seen(out Output) hostapi.Result {
	limit := j.command.Limits.OutputBytes
	if limit == 0 {
		limit = defaultOutputBytes
	}
	s := snapshot{Next: out.Both.Total, Running: out.Status == nil}
	if out.Status != nil {
		s.ExitCode, s.Signal, s.TimedOut = &out.Status.ExitCode, out.Status.Signal, out.Status.TimedOut
	}
	for room := limit; ; room /= 2 { // escapes grow; see encode
		var cut [3]bool
		s.Output, cut[0] = out.Both.text(room/2, out.where())
		s.Stdout, cut[1] = out.Stdout.text(room/4, "")
		s.Stderr, cut[2] = out.Stderr.text(room/4, "")
		s.Truncated = slices.Contains(cut[:], true)
		data, err := marshal(s)
		if err != nil || int64(len(data)) <= limit || room == 0 {
			return hostapi.Result{Outcome: hostapi.OutcomeOK, Data: data, Truncated: s.Truncated}
		}
	}
}

// signalNamed is a signal by its name, with or without SIG; TERM if it has
// none.
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
	return 0, fmt.Errorf("there is no signal %q; expected a name such as SIGTERM, SIGINT or SIGKILL", name)
}
