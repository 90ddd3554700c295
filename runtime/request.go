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

// MaxInputBytes is the largest input that a run takes.
const MaxInputBytes = 16 << 20

// Request is one run. Program must be set, or else Source; what else is zero
// means: no inputs, no tools, the default limits, any value.
type Request struct {
	// Tool is the name on the report.
	Tool    string
	Program *Program
	// Source is compiled when the run begins, within its time, where there is no
	// Program yet. One that is no program ends the run as a script_error.
	Source *Source
	// Refused is why the run cannot be, found by whoever asks for it: it ends as
	// [Refuse] says. Nil means that it can.
	Refused error
	// Began is when the work for this run began, such as checking its file: the
	// run's time counts from then. Zero means now, and so does what is to come.
	Began time.Time
	// Inputs is the second argument of run, as JSON; empty means {}.
	Inputs json.RawMessage
	// Allow grants host tools; empty grants none.
	Allow []hostapi.Rule
	// Policies have a say in each call besides Allow and the runner's.
	Policies []hostapi.Policy
	// Now is when the script's clock begins; zero is the machine's clock. One that is
	// given stands still, and a timer that is due moves it there. Years 1 to 9999.
	Now time.Time
	// Seed is where the script's random numbers come from: the same seed, the same
	// numbers. 0 is the machine.
	Seed uint64
	// Limits bounds the run; the runner's ceiling may lower them.
	Limits Limits
	// MoreTime names what gives such a run more time, for people whose run had too
	// little; empty means limits.timeoutMs, as in a tool file.
	MoreTime string
	// Output is what the value must satisfy; nil accepts any.
	Output *schema.Schema
	// Tools are offered in place of the runner's, such as those of another
	// workspace; nil means the runner's. Whoever made them closes them.
	Tools *hostapi.Registry
	// Approver asks somebody about this run's calls, in place of the runner's; nil
	// is the runner's.
	Approver hostapi.Approver
	// Around go around each call and operation, inside of the runner's.
	Around []hostapi.Around
	// Observer is told what this run does, besides the runner's.
	Observer Observer
	// Room is asked before a value of more than 64 KiB is taken from a worker, so that
	// the values of many runs can be bounded together. It is given the size in bytes and
	// may wait: ctx ends with the run. An error ends the run, as cancelled unless its
	// time is up. Nil takes all.
	Room func(ctx context.Context, bytes int64) error
	// Path and Digest are the source on the report; empty means the program's.
	Path, Digest string
	// Caller names who asks for the run, such as a client, for whoever keeps records;
	// empty says nobody beside the program itself.
	Caller string

	id string
}

// RunID is the number of the run, as on its report. Only an [AroundRun] sees one.
func (r Request) RunID() string { return r.id }

var (
	errNoProgram   = errors.New("a request needs a program; see Runner.Compile, or set Source")
	errTwoPrograms = errors.New("a request has a program and a source; it runs one of them")
)

// check fills in what is empty and refuses what cannot run. The rules are
// checked when the run has begun.
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

// policies are all that have a say in the run's calls, the tool file's list first.
func (r *Request) policies(operator []hostapi.Policy) []hostapi.Policy {
	return slices.Concat([]hostapi.Policy{hostapi.AllowList(r.Allow)}, r.Policies, operator)
}

// eachRule checks the rules of policies that have some, in order, until one does not
// pass.
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
