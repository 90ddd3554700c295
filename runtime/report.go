package runtime

import (
	"encoding/json"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Report is what became of a run. Every run has one, however it ended, with every call.
// Nothing changes it after [Runner.Run] has returned it.
type Report struct {
	// Run identifies the run; it is random.
	Run string
	// Tool is the name that the run has.
	Tool string
	// Path is the file of the source, and Digest its SHA-256 in hex.
	Path, Digest string
	// Imported lists the files that the source imports, as they were read.
	Imported []Imported

	Outcome Outcome
	// Limit names the limit for [OutcomeLimit]; empty otherwise.
	Limit string
	// Value is what run returned, as JSON; nil unless the outcome is ok.
	Value json.RawMessage
	// Text is Value for people: a string without quotes, anything else as indented JSON.
	Text string
	// Failure is what went wrong; nil if nothing did.
	Failure *ScriptError

	// Calls has a record of each call, in the order in which they were issued.
	Calls []hostapi.Record
	// Logs is what the script wrote to the console: its beginning and end if it exceeded
	// the output limit.
	Logs          []Entry
	LogsTruncated bool
	// Notes are what a reader of the value should know.
	Notes []Note

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
	// CPU is how long the script's own code ran. In process it is wall time without waits,
	// since the operating system does not measure goroutines.
	CPU time.Duration
	// ToolWait is how long at least one call was pending.
	ToolWait time.Duration
	// WorkerWait is how long the run waited for a worker, including its start.
	WorkerWait time.Duration
	// ApprovalWait is how long the run waited for people. It does not count in the timeout.
	ApprovalWait time.Duration
	ToolCalls    int
	// ResultBytes is the sum of the calls' and the operations' OutputBytes; ArgumentBytes is the size of their
	// arguments.
	ResultBytes, ArgumentBytes int64
	// PeakMemoryBytes is the largest memory of the cell. It is 0 for a run that ended before
	// the first measurement. In process it is how far the heap of the whole program grew.
	PeakMemoryBytes int64
}

// Isolation says where the script ran and what was enforced.
type Isolation struct {
	// Cell is "worker", "in-process", or "elsewhere" for one of [Options.Cells], whose memory
	// nobody measured. It is empty for a run that never began.
	Cell string
	// Confinement is what the worker gave up before it got the script; nil for other cells.
	Confinement []string
	// Abandoned says that the script could not be stopped: its goroutine is in native code of
	// the engine, and ends when that returns.
	Abandoned bool
	// Measures says what was enforced and what was not, for each called tool that confines
	// what it starts; nil if there was none.
	Measures map[string][]hostapi.Measure
	// UnsettledTools are the calls whose tools had not returned 250 ms after the end of the
	// run, or did not say within 2 s what they enforced; nil if there were none.
	UnsettledTools []hostapi.Unsettled
}
