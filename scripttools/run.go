package scripttools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime"
)

// Inputs are the inputs of a run. They are encoded as JSON: a struct, a slice
// or a json.RawMessage may stand in them. Nil means none, an empty object.
type Inputs map[string]any

// RunOptions narrows a run. The zero value runs the tool as its file declares.
type RunOptions struct {
	// Limits lowers the tool's limits. A zero field, and one that is higher than
	// the tool's own, changes nothing.
	Limits runtime.Limits
	// LimitsFrom names who set Limits, for the message of a timeout; empty means "the
	// caller's limit".
	LimitsFrom string
	// Policies have a say in each call besides the tool's list and the runner's.
	Policies []hostapi.Policy
	// Approver asks somebody about the run's calls; nil is the runner's.
	Approver hostapi.Approver
	// Tools are offered in place of the runner's; nil means the runner's. They
	// must have those that the tool file names.
	Tools *hostapi.Registry
	// Around, Now and Seed are those of [runtime.Request].
	Around []hostapi.Around
	Now    time.Time
	Seed   uint64
	// Observer is told what the run does, besides the runner's.
	Observer runtime.Observer
	// Checked, if set, is called when the inputs are validated and the memory that took,
	// which may be many times their text, is free again.
	Checked func()
	// Room is asked before a large value is taken; see [runtime.Request].
	Room func(ctx context.Context, bytes int64) error
	// Caller names who asks for the run; see [runtime.Request].
	Caller string
	// Began is when the work for this run began, such as loading its file: the
	// run's time counts from then. Zero means now.
	Began time.Time
}

// InputError is a set of inputs that a tool does not take; nothing ran.
type InputError struct {
	Tool string
	// Violations lists every way in which the inputs break the schema, by path.
	// It is empty when they are not a JSON object in the first place.
	Violations []schema.Violation

	err error
}

// Error names every violation.
func (e *InputError) Error() string {
	return fmt.Sprintf("inputs of tool %q: %v", e.Tool, e.err)
}

// Unwrap gives the *[schema.Error] or the JSON error.
func (e *InputError) Unwrap() error { return e.err }

// Run runs a tool with inputs and reports how it ended. Defaults of the input
// schema are filled in; inputs that break it, and an unknown name, end as
// invalid_input with every violation, and nothing runs. There is always a
// report; its Err is nil for a run that succeeded.
func (c *Catalog) Run(ctx context.Context, name string, inputs Inputs) *runtime.Report {
	spec, err := c.Spec(name)
	if err != nil && c.runner == nil { // an empty catalog has none
		return runtime.Refuse(name, "", err)
	}
	if err != nil {
		return c.runner.Run(ctx, runtime.Request{Tool: name, Refused: err})
	}
	raw := json.RawMessage("{}")
	if inputs != nil {
		if raw, err = json.Marshal(inputs); err != nil {
			return c.runner.Run(ctx, runtime.Request{Tool: name, Path: spec.Path, Refused: &InputError{Tool: name, err: err}})
		}
	}
	return RunSpec(ctx, c.runner, spec, raw, RunOptions{})
}

// RunSpec is [Catalog.Run] for a spec at hand, with inputs that are JSON
// already and with narrower limits and rules. The spec must come from a load
// with the same runner.
func RunSpec(ctx context.Context, runner *runtime.Runner, spec *ScriptToolSpec, inputs json.RawMessage, options RunOptions) *runtime.Report {
	if runner == nil || spec == nil || spec.Program == nil {
		return runtime.Refuse("", "", errors.New("RunSpec needs a runner, and a spec that was loaded"))
	}
	var notes []runtime.Note
	inputs, err := spec.prepare(inputs)
	if err == nil {
		notes = spec.undeclared(inputs)
	}
	if options.Checked != nil {
		options.Checked()
	}
	raise := func(limit string) string {
		if lower := options.Limits.Of(limit); lower > 0 && lower < spec.Limits.Narrow(runtime.Limits{}).Of(limit) {
			return cmp.Or(options.LimitsFrom, "the caller's limit")
		}
		return "limits." + limit + " in " + spec.Path
	}
	return runner.Run(ctx, runtime.Request{
		Refused:  err,
		Raise:    raise,
		Tool:     spec.Name,
		Program:  spec.Program,
		Inputs:   inputs,
		Notes:    notes,
		Allow:    spec.AllowedTools,
		Policies: options.Policies, Approver: options.Approver,
		Limits: spec.Limits.Narrow(options.Limits),
		Output: spec.OutputSchema,
		Path:   spec.Path,
		Digest: spec.Digest,

		Tools: options.Tools, Around: options.Around, Now: options.Now, Seed: options.Seed, Observer: options.Observer, Room: options.Room, Began: options.Began, Caller: options.Caller,
	})
}

// prepare fills in defaults and checks inputs against the schema.
func (s *ScriptToolSpec) prepare(inputs json.RawMessage) (json.RawMessage, error) {
	inputs = bytes.TrimSpace(inputs)
	if len(inputs) == 0 {
		inputs = json.RawMessage("{}")
	}
	refuse := func(err error) error {
		bad := &InputError{Tool: s.Name, err: err}
		var violations *schema.Error
		if errors.As(err, &violations) {
			bad.Violations = violations.Violations
		}
		return bad
	}
	if !json.Valid(inputs) {
		err := json.Unmarshal(inputs, new(json.RawMessage)) // which says why
		return nil, refuse(fmt.Errorf("not JSON: %w", err))
	}
	if inputs[0] != '{' {
		return nil, refuse(errors.New("they must be a JSON object"))
	}
	filled, err := s.InputSchema.Complete(inputs)
	if err != nil {
		return nil, refuse(err)
	}
	return filled, nil
}
