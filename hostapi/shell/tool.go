package shell

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Tool is the host tool "bash": it runs one command and waits for its end. The zero
// value runs commands in the host's own directory. It is safe for concurrent use; its
// fields must not change once it is in use.
//
// A non-zero exit is a result, and so is a command that did not start. An error means
// only that the run ended.
type Tool struct {
	// Dir is the workspace. Commands run there; cwd is relative to it and cannot leave
	// it. Empty is the host's own directory.
	Dir string
	// Env is further variables as NAME=value, over the inherited ones. Those that carry
	// credentials or change how programs load do not pass; the result's metadata names
	// them.
	Env []string
	// Environments are those that calls may name, except trusted ones, which only
	// Default chooses.
	Environments []Environment
	// Default is the environment of calls that name none; empty for none.
	Default string
	// Timeout is how long a command may run, both by default and at most. Zero means 2
	// minutes by default and 10 at most.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL. Zero means 2 seconds; below zero
	// means none.
	Grace time.Duration
	// SpillDir is a folder for outputs that are too large for a result, in a folder for
	// each run; empty for none. The caller removes what is in it.
	SpillDir string
	// Sandbox is what the system keeps commands from.
	Sandbox Sandbox
	// Backend runs the commands; nil means a [Local] of the tool's own.
	Backend Backend

	// prepare changes a command before it starts; remove deletes what that made. Nil for
	// none.
	prepare func(*Command) (remove func(), err error)

	opening    sync.Once
	opened     *opened // see folder
	local      Local
	households households
	telling    sync.Mutex // see job
}

var (
	_ hostapi.Tool      = (*Tool)(nil)
	_ hostapi.Describer = (*Tool)(nil)
	_ hostapi.Checker   = (*Tool)(nil)
	_ hostapi.Scoper    = (*Tool)(nil)
	_ hostapi.Starter   = (*Tool)(nil)
	_ hostapi.Validator = (*Tool)(nil)
	_ hostapi.Confiner  = (*Tool)(nil)
)

// toolName is the name of [Tool], in rules too.
const toolName = "bash"

// Name implements [hostapi.Tool].
func (t *Tool) Name() string { return toolName }

// Describe implements [hostapi.Describer].
func (t *Tool) Describe() hostapi.Description {
	return hostapi.Description{
		Summary:  "Runs a shell line, or a program with arguments, and returns what it wrote and how it ended.",
		Input:    json.RawMessage(inputSchema),
		Aliases:  map[string]string{"timeout": "timeoutMs"},
		Checked:  true,
		Effect:   hostapi.EffectExec,
		Data:     "{stdout, stderr, exitCode, signal, timedOut, truncated, durationMs}; when they apply, oomKilled, refused, and stdoutEncoding and stderrEncoding, base64",
		Metadata: "stdoutBytes, stderrBytes, droppedBytes; stdoutFile and stderrFile with all of it where it was too much; cwd, environment, withheldEnv",
		Subject:  "each simple command of the line, as its words; every one must match a rule",
	}
}

// Check implements [hostapi.Checker].
func (t *Tool) Check(args json.RawMessage) error {
	_, err := t.decode(args)
	return err
}

// Invoke implements [hostapi.Tool].
func (t *Tool) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	handle, result, err := t.Start(ctx, call)
	if err != nil || handle == nil {
		return result, err
	}
	defer func() { _ = handle.Close() }() // nobody is left to report it to
	return handle.Wait(ctx)
}

// Start implements [hostapi.Starter].
func (t *Tool) Start(ctx context.Context, call hostapi.Call) (hostapi.Handle, hostapi.Result, error) {
	args, err := t.decode(call.Args)
	if err != nil {
		return nil, notStarted(err), nil
	}
	if args.Input && !call.Background {
		return nil, notStarted(errors.New("input is for commands in the background; give the text as stdin")), nil
	}
	where, dropped, err := t.resolve(args)
	if err == nil {
		where = where.traced(ctx)
		err = checkSize(args, where)
	}
	if err != nil {
		return nil, notStarted(err), nil
	}
	command := Command{Line: args.Command, Argv: args.Argv, Context: where, Sandbox: t.sandbox(where), Limits: t.limits(args, call)}
	command.Sandbox.outputs, command.background = outputsOf(command), call.Background
	plan := call.Plan
	if !call.Scoped {
		plan = nil // the line is granted unchanged
	}
	remove, err := t.decided(plan, &command)
	if err != nil {
		return nil, notStarted(err), nil
	}
	if args.Stdin != nil {
		command.Stdin = []byte(*args.Stdin)
	}
	command.Input, command.Pty, command.Watch = args.Input || args.Pty && call.Background, args.pty(), call.Output
	if t.prepare != nil {
		if remove, err = t.prepare(&command); err != nil {
			return nil, notStarted(err), nil
		}
	}
	j := &job{backend: t.backend(), command: command, dropped: dropped, remove: remove, telling: &t.telling}
	life, end := context.WithCancel(ctx)
	j.end = end
	if j.id, err = j.backend.Create(life, command); err != nil {
		end()
		remove()
		if ctx.Err() != nil {
			return nil, hostapi.Result{}, context.Cause(ctx)
		}
		return nil, notStartable(command, err), nil
	}
	return j, hostapi.Result{}, nil
}

// backend runs the commands.
func (t *Tool) backend() Backend {
	if t.Backend == nil {
		return &t.local
	}
	return t.Backend
}

// limits are the bounds of one command.
func (t *Tool) limits(args arguments, call hostapi.Call) Limits {
	timeout, _ := t.timeout(args) // decode refused what is out of range
	grace := t.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	_, most := t.timeouts()
	limits := Limits{Timeout: timeout, most: most, Grace: max(grace, 0), OutputBytes: max(call.MaxResultBytes, 0)}
	if t.SpillDir != "" {
		limits.SpillDir = filepath.Join(t.SpillDir, filepath.Base(filepath.Clean("/"+call.Run)))
	}
	return limits
}

// sandbox is that of every command.
func (t *Tool) sandbox(where ExecContext) Sandbox {
	s := t.Sandbox
	s.workspace, s.workspaceIs = where.root, t.folder().id()
	if !s.off() {
		s.stated = &stated{read: s.Read, write: s.Write}
		s.further = furtherFolders(where.root, s.Write)
		gitGrants(&s, where.root, *where.grants)
		s.own = where.household.home
	}
	return s
}

// Close ends what commands share; the tool stays usable. A host that never calls it
// leaves nothing behind when it exits.
func (t *Tool) Close() error { return t.local.Close() }

// Confinement implements [hostapi.Confiner] for the backend of this machine.
func (t *Tool) Confinement() []hostapi.Measure {
	if t.Backend != nil {
		return []hostapi.Measure{{Name: "sandbox", Gap: "the backend that runs the commands says nothing about a sandbox", Fix: "ask whoever runs it"}}
	}
	where, _, err := t.resolve(arguments{})
	var measures []hostapi.Measure
	if err == nil {
		measures, err = t.local.Confinement(where, t.sandbox(where))
	}
	if err == nil && where.household.home != "" {
		measures = append(measures, where.household.measure())
	}
	if err != nil {
		return []hostapi.Measure{{Name: "sandbox", Gap: "commands do not start: " + err.Error()}}
	}
	return measures
}
