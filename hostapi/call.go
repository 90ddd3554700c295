package hostapi

import "encoding/json"

// Call is a script's request for a host tool. It is a value; tools must not change
// what Args points to.
type Call struct {
	// Run is the ID of the run, if it has one.
	Run string
	// Seq numbers the calls of a run, those of tools included, from 1 in the order
	// they were asked for. The [Gate] sets it.
	Seq int
	// Parent is the Seq of the call whose tool made this one with [Call.Invoke]; 0 if
	// the script made it.
	Parent int
	// Tool is the name that the script asked for.
	Tool string
	// Args is the JSON object of arguments; empty means {}.
	Args json.RawMessage
	// TooLarge is the size, in bytes, of arguments that were too large to reach the
	// gate and are not in Args; otherwise 0. Such a call is over limit.
	TooLarge int64
	// Site is where the script asked, as file:line:column; empty if unknown.
	Site string
	// Operation is what is done with what the call started, such as "write"; empty for
	// the call itself. Only an [Around] sees operations; Args are the operation's then.
	Operation string
	// Background asks for a handle to work in the background, instead of the result;
	// see [Starter].
	Background bool
	// MaxResultBytes is how much of each part of the result the gate keeps. A tool
	// that can limit what it captures should use it; 0 means unknown.
	MaxResultBytes int64
	// Part is what of a success the script takes; the gate drops the rest.
	Part Part
	// Refused is why the call was refused; nil if it was not. Only an [Around] sees
	// refused calls.
	Refused error
	// Decision is the decision on the call. The [Gate] sets it.
	Decision Decision
	// Plan is the tool's own [Scoper.Plan] of the call; see [Call.Resolve]. It is nil
	// if only rules without a pattern decided. The [Gate] sets it.
	Plan Plan
	// Scoped is set if a rule with a pattern allowed the call: then only what Plan
	// says is allowed. The [Gate] sets it.
	Scoped bool
	// Output shows observers what the call writes to a stream as it comes; text is in
	// whole characters. It returns at once and keeps nothing of p. It is nil if nobody
	// observes. The [Gate] sets it.
	Output func(stream string, p []byte)

	resolution *resolution // nil outside of a gate
	ongoing    *ongoing    // nil unless the tool has the call
	depth      int         // how many calls of tools led to it
}

// Part is a part of a result.
type Part string

// The parts of a result that a script can ask for.
const (
	PartAll    Part = ""
	PartText   Part = "text" // or else the output
	PartOutput Part = "output"
	PartData   Part = "data" // or else the output
)

// RecordedArgs are the arguments as a [Record] keeps them.
func (c Call) RecordedArgs() json.RawMessage { return recordedArgs(c, maxRecordedArgs) }
