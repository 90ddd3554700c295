package hostapi

import (
	"context"
	"encoding/json"
)

// Call is one request of a script for a host tool. It is a value; tools must
// not change what Args points to.
type Call struct {
	// Run identifies the run that the call is of; empty if there is none.
	Run string
	// Seq numbers the calls of a run from 1 in the order they were asked for, those of
	// tools too. Only a [Gate] sets it.
	Seq int
	// Parent is the Seq of the call whose tool asked for this one with [Call.Invoke];
	// 0 if the script did.
	Parent int
	// Tool is the name that the script asked for.
	Tool string
	// Args is the JSON object of arguments; empty means {}.
	Args json.RawMessage
	// TooLarge is the size, in bytes, of arguments that were too large to be
	// brought to the gate, and that are not in Args; 0 for any other. Such a call
	// is refused as over limit.
	TooLarge int64
	// Site is where the script asked, as file:line:column; empty if unknown.
	Site string
	// Operation is what is done with what the call has started, such as "write"; empty
	// for the call itself. Only an [Around] sees one: Args are the operation's then.
	Operation string
	// Background asks for a handle to what the call starts, rather than for its
	// end; see [Starter].
	Background bool
	// MaxOutputBytes is what the gate will keep of each part of the result.
	// A tool that can bound its capture should use it; 0 means no bound is
	// known and the gate alone cuts.
	MaxOutputBytes int64
	// Refused is why the call is not made; nil for one that is. Only an [Around] sees
	// one that is not.
	Refused error
	// Decision is what was decided. Only a [Gate] sets it.
	Decision Decision
	// Plan is what the tool's own [Scoper.Plan] made of the call, if a policy wanted
	// to know; see [Call.Resolve]. It is nil where rules without a pattern decided:
	// nothing was resolved then. Only a [Gate] sets it.
	Plan Plan
	// Scoped is set where a rule with a pattern granted the call: then the plan is
	// what was granted, and nothing beside it. Only a [Gate] sets it.
	Scoped bool
	// Output tells whoever watches what the call writes, as it comes: to which
	// stream, and what, of text whole characters; p is not kept. It returns at once,
	// and is nil where nobody watches. Only a [Gate] sets it.
	Output func(stream string, p []byte)
	// Permit decides what the call turns out to lead to, such as a redirect, by
	// the rules that granted it: other arguments for the same tool. The error
	// is a refusal. It is nil for a call that did not come through a [Gate].
	Permit func(ctx context.Context, args json.RawMessage) error
	// Invoke calls another tool: a call like those of the script, decided by the same
	// policies and budget, with a row of its own; it takes no place of those that are
	// made at once. It may be called until the tool returns. Its errors are those of
	// [Gate.Invoke]. It is nil for a call that did not come through a [Gate].
	Invoke func(ctx context.Context, tool string, args json.RawMessage) (Result, error)
	// Hold holds the run's clock, until release or the end of the call, for a tool that waits for a person
	// itself. It is nil for a call that did not come through a [Gate].
	Hold func() (release func())

	resolution *resolution // nil outside of a gate
	depth      int         // how many calls of tools led to it
}

// RecordedArgs are the arguments as a [Record] keeps them: JSON of at most
// [MaxRecordedArgs] bytes, with the beginning of what is larger, or is not JSON.
func (c Call) RecordedArgs() json.RawMessage { return recordedArgs(c, MaxRecordedArgs) }
