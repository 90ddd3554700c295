package runtime

import (
	"encoding/json"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Report is the receipt of a run. There is one for every run, whatever its
// ending, with every call on it. It is a value of its own: nothing changes it
// after [Runner.Run] returned it.
type Report struct {
	// Run identifies the run; it is random.
	Run string
	// Tool is the name under which it ran.
	Tool string
	// Path and Digest are the source: the file and the SHA-256, in hex.
	Path, Digest string

	Outcome Outcome
	// Limit names the limit for [OutcomeLimit]; empty otherwise.
	Limit string
	// Value is what run returned, as JSON; nil unless the outcome is ok.
	Value json.RawMessage
	// Text is Value as a person reads it: a string as it stands, anything else
	// as indented JSON.
	Text string
	// Failure is what went wrong; nil if nothing did.
	Failure *ScriptError

	// Calls has a row for each call, in the order they were issued.
	Calls []hostapi.Record
	// Logs is what the script wrote to the console, head and tail if it was more
	// than the output limit.
	Logs          []Entry
	LogsTruncated bool

	Started   time.Time
	Usage     Usage
	Limits    Limits
	Isolation Isolation

	cause error
}

// Entry is one line of the console.
type Entry struct {
	Level string // log, info, warn, error, debug
	Text  string
	At    time.Duration // since the run began
}

// Usage is what a run used.
type Usage struct {
	Wall time.Duration
	// CPU is how long the script's own code ran. In process it is wall time
	// less what was waited; the operating system does not count goroutines.
	CPU time.Duration
	// ToolWait is how long at least one call was under way.
	ToolWait time.Duration
	// WorkerWait is how long the run waited for a worker, with the start of one.
	WorkerWait time.Duration
	// ApprovalWait is how long somebody was asked, which is no part of the timeout.
	ApprovalWait time.Duration
	ToolCalls    int
	// OutputBytes counts arguments and results of all calls.
	OutputBytes int64
	// PeakMemoryBytes is how far the heap grew. It is 0 for a run that ended
	// before the first measurement, and in process it includes what the rest of
	// the program allocated meanwhile.
	PeakMemoryBytes int64
}

// Isolation says where the script ran and what was really enforced.
type Isolation struct {
	// Cell is "worker", "in-process", or for one of [Options.Cells] "elsewhere", whose
	// memory nobody measured; empty for a run that never began.
	Cell string
	// Confinement is what the worker gave up before it saw the script; nil for
	// a cell in process.
	Confinement []string
	// Abandoned is set when the script could not be stopped: its goroutine is
	// still in native code of the engine and ends when that returns.
	Abandoned bool
	// Measures says, for each tool that was called and that confines what it
	// starts, what was enforced, and what was not; nil if there was none.
	Measures map[string][]hostapi.Measure
	// UnsettledTools are the calls that were left behind: the tool had not
	// returned 250 ms after the run was over. Nil if there was none.
	UnsettledTools []hostapi.Unsettled
}
