package hostapi

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// Result is what a tool answers. The zero value is a success without output.
type Result struct {
	// Outcome is how it ended; zero means ok if ExitCode is 0, and failed if not.
	Outcome Outcome
	// Output is the answer as text for a person or a model.
	Output string
	// Text is the plain content, if it differs from Output.
	Text *string
	// Reason is the line that says best why it failed; empty means the first of Output.
	Reason string
	// ExitCode is 0 for success, and -1 if there is none, as after a signal.
	ExitCode int
	// Throws makes a failure reject the script's promise, even if it asked for
	// failures as results. It is for tools whose protocol has errors.
	Throws bool
	// Signal names the signal that ended a process, such as "SIGKILL".
	Signal string
	// Data is the structured answer as JSON; empty for none.
	Data json.RawMessage
	// Metadata is about the answer, as a JSON object; empty for none.
	Metadata json.RawMessage
	// Truncated is set if the tool or the gate cut the result.
	Truncated bool
	// Cut says what cut it, if that was not [Quota.MaxResultBytes] alone, and what to do; it is
	// recorded.
	Cut string
	// CutWithin is set if an entry of the answer, such as a line, is cut itself, so that no
	// next page has the rest of it.
	CutWithin bool
	// Bytes is the size of the answer before any cut; 0 lets the gate measure it.
	Bytes int64
	// Notes are lines for the reader of the answer, such as what a sandbox refused.
	// They are on the call's record.
	Notes []string
	// Unheard is called if the run is over before the result comes, so that neither its
	// record nor a script has it. Nil is none.
	Unheard func() `json:"-"`
	// Spill is the path of a file with the whole output; empty for none.
	Spill string
	// Traffic is the call's network use, if the tool knows.
	Traffic *Traffic
}

// Succeed is a successful result with this output.
func Succeed(output string) Result { return Result{Outcome: OutcomeOK, Output: output} }

// Fail is a failed result with exit code 1. The message says what is wrong and what
// to do about it.
func Fail(message string) Result {
	return Result{Outcome: OutcomeFailed, ExitCode: 1, Output: message}
}

// WithData returns r with value as its Data. If value cannot be encoded as JSON, which
// is a bug in the tool, the result is a failure.
func (r Result) WithData(value any) Result {
	data, err := json.Marshal(value)
	if err != nil {
		return Fail("the tool's data is not JSON: " + err.Error())
	}
	r.Data = data
	return r
}

// Why says in a line why it failed; below it are the notes, such as what a sandbox refused.
func (r Result) Why() string {
	reason := cmp.Or(r.Reason, clip.Line(strings.TrimSpace(r.Output)))
	lines := []string{clip.Head(reason, 200)}
	for _, note := range r.Notes[:min(len(r.Notes), maxNotes)] {
		lines = append(lines, clip.Head(note, 400))
	}
	return strings.Join(lines, "\n")
}

// empty reports whether it has no answer, only how it ended.
func (r Result) empty() bool { return r.Output == "" && r.Text == nil && r.Data == nil }

// kept is how many bytes the result of ended work keeps, with the output that can be read
// again: at most both streams, and each of them by itself.
func (r Result) kept(limit int64) int64 { return r.size() + min(2*r.Bytes, 3*limit) }

// size is how many bytes a script gets.
func (r Result) size() int64 {
	n := len(r.Output) + len(r.Data) + len(r.Metadata)
	if r.Text != nil {
		n += len(*r.Text)
	}
	return int64(n)
}
