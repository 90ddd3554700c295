package shell

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Tool is the host tool "bash": it runs one command and waits for its end. The
// zero value runs commands in the host's own directory. Its fields must not be
// changed once it is in use; it is then safe for concurrent use.
//
// A non-zero exit is a result, as is a command that could not be started; an
// error is only the end of the run.
type Tool struct {
	// Dir is the workspace: where commands run, and what cwd is relative to
	// and cannot leave. Empty is the host's own directory.
	Dir string
	// Env holds further variables as NAME=value, over the inherited ones.
	// Those that carry credentials or change how programs load do not pass;
	// the result's metadata names them.
	Env []string
	// Timeout is how long a command may take at most, and how long it gets
	// when the call does not say. Zero means 2 minutes, and 10 at most.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL. Zero means 2 seconds;
	// below zero there is none.
	Grace time.Duration
	// Backend runs the commands; nil means a [Local].
	Backend Backend
}

var (
	_ hostapi.Tool      = (*Tool)(nil)
	_ hostapi.Describer = (*Tool)(nil)
	_ hostapi.Checker   = (*Tool)(nil)
	_ hostapi.Scoper    = (*Tool)(nil)
)

// Name implements [hostapi.Tool].
func (t *Tool) Name() string { return "bash" }

// Describe implements [hostapi.Describer].
func (t *Tool) Describe() hostapi.Description {
	return hostapi.Description{
		Summary: "Runs a shell line, or a program with arguments, and returns what it wrote and how it ended.",
		Input:   json.RawMessage(inputSchema),
		Effect:  hostapi.EffectExec,
	}
}

// Check implements [hostapi.Checker].
func (t *Tool) Check(args json.RawMessage) error {
	_, err := t.decode(args)
	return err
}

// settleTime is what a backend gets, beyond the grace, to say how a command
// ended that it was told to end.
const settleTime = 3 * time.Second

// Invoke implements [hostapi.Tool].
func (t *Tool) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	args, err := t.decode(call.Args)
	if err != nil {
		return notStarted(err), nil
	}
	where, dropped, err := t.resolve(args)
	if err != nil {
		return notStarted(err), nil
	}
	command := Command{Line: args.Command, Argv: args.Argv, Context: where, Limits: t.limits(args, call)}
	if args.Stdin != nil {
		command.Stdin = []byte(*args.Stdin)
	}
	backend := t.Backend
	if backend == nil {
		backend = new(Local)
	}
	id, err := backend.Create(ctx, command)
	if err != nil {
		if ctx.Err() != nil {
			return hostapi.Result{}, context.Cause(ctx)
		}
		return notStarted(err), nil
	}
	defer func() { _ = backend.Release(id) }() // there is nothing left to tell it to

	// The backend ends the command; this bounds one that does not.
	bounded, stop := boundedWait(ctx, command.Limits)
	defer stop()
	status, err := backend.Wait(bounded, id)
	switch {
	case err != nil && ctx.Err() != nil:
		status = ExitStatus{ExitCode: -1, Cancelled: true}
	case err != nil && bounded.Err() != nil:
		status = ExitStatus{ExitCode: -1, TimedOut: true, Duration: command.Limits.Timeout}
	case err != nil:
		return hostapi.Result{}, err
	}
	output, err := backend.Output(id, 0)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return hostapi.Result{}, err
	}
	return report(status, output, command.Limits, dropped), nil
}

// limits are the bounds of one command.
func (t *Tool) limits(args arguments, call hostapi.Call) Limits {
	timeout, _ := t.timeout(args) // decode refused what is out of range
	grace := t.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	return Limits{Timeout: timeout, Grace: max(grace, 0), OutputBytes: max(call.MaxOutputBytes, 0)}
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
