package hostapi

import (
	"context"
	"encoding/json"
	"errors"
)

// Tool is a capability that a host offers to scripts. A Tool must be safe for
// concurrent use: a script may have several calls under way at once.
type Tool interface {
	// Name is the tool's name, matching [a-zA-Z0-9_-]{1,64}; it never changes.
	Name() string

	// Invoke does the work. It must return soon after ctx ends and must not
	// keep or change call.Args. A tool that ran and failed returns a Result
	// with a non-zero ExitCode and a nil error. An error is the host's fault; the
	// script gets a failed call with the error's text as output.
	//
	// Only a [Gate] calls Invoke.
	Invoke(ctx context.Context, call Call) (Result, error)
}

// Describer is implemented by tools that describe themselves to people and
// models. The arguments of such a tool are checked against its schema before
// it is invoked.
type Describer interface {
	Describe() Description
}

// Description is what a tool says about itself.
type Description struct {
	// Summary is one sentence, without the tool's name.
	Summary string
	// Input is a JSON Schema (2020-12) of the arguments. Nil accepts any object.
	Input json.RawMessage
	// Aliases are other names of arguments, each with the one in Input. A call's arguments
	// are given that name before anything looks at them.
	Aliases map[string]string
	// Data and Metadata say what results have in these, in one line each; empty for nothing.
	Data, Metadata string
	// Subject says what a rule's pattern is matched against; empty if rules take none.
	Subject string
	// Checked says that Input is known to compile. [NewRegistry] then leaves it to the
	// first call, so that the start is faster.
	Checked bool
	// Effect is the worst that the tool can do.
	Effect Effect
}

// Scoper is implemented by tools whose allow rules may carry a pattern, as in
// bash(git log *). A rule with a pattern for any other tool is an error.
type Scoper interface {
	// CheckPattern refuses a pattern that is malformed. Its error is one
	// sentence for the author of the rule.
	CheckPattern(pattern string) error

	// Plan resolves a call, once. Rules with patterns decide on the plan's
	// subjects, and Invoke or Start then gets the plan in [Call.Plan]. If the
	// arguments cannot be analysed, the error is an *[OpaqueError], and only a rule
	// without a pattern can grant the call.
	Plan(ctx context.Context, call Call) (Plan, error)
}

// Narrower is implemented by a [Scoper] of which some patterns allow less than its
// Effect, as bash(git log *) only reads. It is for what clients are told of a tool; it
// decides nothing.
type Narrower interface {
	// PatternEffect is the worst that calls can do which a pattern allows.
	PatternEffect(pattern string) Effect
}

// Plan is a resolved call: paths with links followed, a shell line as commands. It
// is a type of the tool's, and immutable. What was decided is what runs: a tool that
// gets a plan follows it, and does not parse or resolve again.
type Plan interface {
	// Subjects are matched against patterns. Each must match some rule.
	Subjects() []Subject
}

// Subject is one thing that a call touches: a resolved path, a simple command.
type Subject interface {
	// String is the subject as a refusal shows it.
	String() string
	// Match reports whether pattern, which passed CheckPattern, covers it.
	Match(pattern string) bool
}

// Objector is implemented by subjects that a pattern may not cover although its
// wildcards match.
type Objector interface {
	// Objection is a clause that says what the pattern's wildcards do not cover. It
	// is empty if the pattern covers the subject, or simply differs from it.
	Objection(pattern string) string
}

// Granter is implemented by tools that other rule names may grant too: "grep" in an
// allow-list grants the search tool in its grep mode.
type Granter interface {
	// GrantNames lists the other names that can grant some call.
	GrantNames() []string
	// GrantedBy lists the other names that grant a call with args.
	GrantedBy(args json.RawMessage) []string
}

// Checker is implemented by tools that refuse arguments for reasons that a schema
// cannot state. An error refuses the call; nothing runs.
type Checker interface {
	Check(args json.RawMessage) error
}

// Validator is implemented by tools that can be configured wrongly.
type Validator interface {
	// Validate refuses a wrong configuration, once, when the tool is registered.
	Validate() error
}

// Func adapts a function to a [Tool]. The zero value is not usable: ToolName
// and Do must be set. For a function of Go types see [Typed].
type Func struct {
	ToolName string
	About    Description
	Do       func(ctx context.Context, call Call) (Result, error)

	invalid error
}

// Name implements [Tool].
func (f *Func) Name() string { return f.ToolName }

// Describe implements [Describer].
func (f *Func) Describe() Description { return f.About }

// Validate implements [Validator].
func (f *Func) Validate() error {
	if f.invalid == nil && f.Do == nil {
		return errors.New("it has no function: set Do")
	}
	return f.invalid
}

// Invoke implements [Tool].
func (f *Func) Invoke(ctx context.Context, call Call) (Result, error) { return f.Do(ctx, call) }
