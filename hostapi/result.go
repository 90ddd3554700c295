package hostapi

import "encoding/json"

// Result is what a tool answers. The zero value is a success that says
// nothing.
type Result struct {
	// Outcome is how it ended; zero means ok where ExitCode is 0, else failed.
	Outcome Outcome
	// Output is the answer as text for a person or a model.
	Output string
	// Text is the plain content where it differs from Output; nil if it does not.
	Text *string
	// ExitCode is 0 for success. -1 means there is none (a signal, a kill).
	ExitCode int
	// Throws makes a failure reject whatever a script asked for, where other
	// failures are results: for tools whose own protocol has errors.
	Throws bool
	// Signal names the signal that ended a process, such as "SIGKILL".
	Signal string
	// Data is the structured answer as JSON; empty for none.
	Data json.RawMessage
	// Metadata is about the answer, as a JSON object; empty for none.
	Metadata json.RawMessage
	// Truncated is set by whoever cut the result, tool or gate.
	Truncated bool
	// Bytes is how large the whole answer was before any cut. 0 lets the gate
	// measure what it was given.
	Bytes int64
	// Notes are what whoever reads the answer should know besides, a line each, such
	// as what a sandbox refused. They are on the call's record.
	Notes []string
	// Spill is the path of a file with the whole output; empty for none.
	Spill string
	// Traffic is what the call had of other machines; nil where the tool does not
	// know, or it was nothing to be told.
	Traffic *Traffic

	cut struct{ limit, size int64 } // how it was cut to what a script gets, and what it has since
}

// Succeed is a successful result with this output.
func Succeed(output string) Result { return Result{Outcome: OutcomeOK, Output: output} }

// Fail is a failed result: exit code 1 and a message that says what was wrong
// and what to do about it.
func Fail(message string) Result {
	return Result{Outcome: OutcomeFailed, ExitCode: 1, Output: message}
}

// WithData returns r with value, encoded as JSON, as its Data. A value that
// does not encode is a programming error of the tool and becomes a failure.
func (r Result) WithData(value any) Result {
	data, err := json.Marshal(value)
	if err != nil {
		return Fail("the tool's data is not JSON: " + err.Error())
	}
	r.Data = data
	return r
}

// size is the number of bytes that r brings into a script.
func (r Result) size() int64 {
	n := len(r.Output) + len(r.Data) + len(r.Metadata)
	if r.Text != nil {
		n += len(*r.Text)
	}
	return int64(n)
}
