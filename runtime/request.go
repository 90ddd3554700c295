package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/schema"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// MaxInputBytes is the largest input that a run accepts.
const MaxInputBytes = 16 << 20

// Request is one run. Either Program or Source must be set. The zero values of the rest
// mean no inputs, no tools, the default limits and any value.
type Request struct {
	// Tool is the name on the report.
	Tool    string
	Program *Program
	// Source is compiled when the run begins, and that counts in its time. A source that is
	// not a program ends the run as a script_error.
	Source *Source
	// Refused is why the caller refuses the run, which then ends as [Refuse] says. Nil means
	// that the run can begin.
	Refused error
	// Began is when the work for this run began, such as checking its file: the run's time
	// counts from then. Zero and times in the future mean now.
	Began time.Time
	// Inputs is the second argument of run, as JSON; empty means {}.
	Inputs json.RawMessage
	// Notes are what the caller has to say of the run, such as of its inputs. They begin the
	// notes of the report.
	Notes []Note
	// Allow grants host tools; empty grants none.
	Allow []hostapi.Rule
	// Policies decide each call, besides Allow and the runner's policies.
	Policies []hostapi.Policy
	// Now starts the script's clock at this time, in the years 1 to 9999. The clock then
	// moves only when a timer is due, to that timer's time. Zero is the machine's clock.
	Now time.Time
	// Seed seeds the script's random numbers: the same seed gives the same numbers. 0 seeds
	// them at random.
	Seed uint64
	// Limits bounds the run; the runner's ceiling may lower them.
	Limits Limits
	// Raise names the setting that raises a limit, which is named as in tool files: timeoutMs,
	// maxToolCalls and so on. Messages of limits have it. Nil means limits.timeoutMs and so on.
	Raise func(limit string) string
	// Output is the schema of the value; nil accepts any value.
	Output *schema.Schema
	// Tools replace the runner's tools, such as by those of another workspace; nil means the
	// runner's. Whoever made them closes them.
	Tools *hostapi.Registry
	// Approver asks a person about this run's calls; nil means the runner's approver.
	Approver hostapi.Approver
	// Around wrap each call and operation, inside the runner's Around.
	Around []hostapi.Around
	// Observer is notified of this run, besides the runner's observer.
	Observer Observer
	// Room is called before a value of more than 64 KiB is read from a worker, so that the
	// values of many runs can be bounded together. It gets the size in bytes and can wait:
	// ctx ends with the run. An error ends the run, as cancelled unless its time is up. Nil
	// reads every value.
	Room func(ctx context.Context, bytes int64) error
	// Path and Digest are the source on the report; empty means the program's.
	Path, Digest string
	// Caller names who asks for the run, such as a client of a server, for records. Empty
	// means the program itself.
	Caller string

	id string
}

// RunID is the run's ID, as on its report. It is set for an [AroundRun].
func (r Request) RunID() string { return r.id }

var (
	errNoProgram   = errors.New("a request needs a program; see Runner.Compile, or set Source")
	errTwoPrograms = errors.New("a request has a program and a source; set one of them")
)

// check fills in defaults and refuses what cannot run. Rules are checked when the run begins.
func (r *Request) check() error {
	switch {
	case r.Program == nil && r.Source == nil:
		return errNoProgram
	case r.Program != nil && r.Source != nil:
		return errTwoPrograms
	case r.Source != nil:
		source := *r.Source
		if err := source.check(); err != nil {
			return err
		}
		r.Source, r.Program = &source, source.program()
	}
	if r.Path == "" {
		r.Path = r.Program.name
	}
	if r.Digest == "" {
		r.Digest = r.Program.digest
	}
	if r.Tool == "" {
		r.Tool = r.Path
	}
	r.Inputs = bytes.TrimSpace(r.Inputs)
	if len(r.Inputs) == 0 {
		r.Inputs = json.RawMessage("{}")
	}
	switch {
	case len(r.Inputs) > MaxInputBytes:
		return fmt.Errorf("the inputs are %d bytes; at most %d are taken", len(r.Inputs), MaxInputBytes)
	case wire.Depth(r.Inputs) > wire.MaxDepth:
		return fmt.Errorf("the inputs are nested deeper than %d", wire.MaxDepth)
	case !json.Valid(r.Inputs):
		return errors.New("the inputs are not JSON")
	case r.Now.UTC().Year() < 1 || r.Now.UTC().Year() > 9999:
		return fmt.Errorf("the time of the script is in the year %d; it must be in 1 to 9999", r.Now.UTC().Year())
	}
	return r.Limits.Check()
}

// policies are all that decide the run's calls, with the tool file's list first.
func (r *Request) policies(operator []hostapi.Policy) []hostapi.Policy {
	return slices.Concat([]hostapi.Policy{hostapi.AllowList(r.Allow)}, r.Policies, operator)
}

// eachRule checks the rules of policies in order, until one fails.
func eachRule(policies []hostapi.Policy, check func(hostapi.Rule) error) error {
	for _, policy := range policies {
		ruled, ok := policy.(interface{ List() []hostapi.Rule })
		if !ok {
			continue
		}
		for _, rule := range ruled.List() {
			if err := check(rule); err != nil {
				if rule.From != "" {
					return fmt.Errorf("%s: rule %q: %w", rule.From, rule, err)
				}
				return fmt.Errorf("rule %q: %w", rule, err)
			}
		}
	}
	return nil
}
