package wire

import (
	"encoding/json"
	"time"
)

// Start tells a realm what to run. The body is the inputs.
type Start struct {
	// Name is the file, as stack frames and sites show it.
	Name string `json:"name"`
	// Digest identifies the program that a cell may have compiled.
	Digest string `json:"digest"`
	// Source is the lowered program; empty for a cell that has compiled it.
	Source string `json:"source,omitempty"`
	// Map leads from Source to what the author wrote, if its syntax was lowered.
	Map string `json:"map,omitempty"`
	// Entry is the global binding, or the property of module.exports, to call.
	Entry string `json:"entry"`
	// CommonJS gives the program module and exports, and looks for Entry there.
	CommonJS bool `json:"commonjs,omitempty"`
	// Strict compiles the program in strict mode.
	Strict bool `json:"strict,omitempty"`
	// LineOffset is how many lines were put before the author's first.
	LineOffset int `json:"lineOffset,omitempty"`
	// Tools are the host tools that the program may call.
	Tools []string `json:"tools,omitempty"`
	// MaxOutputBytes caps the value and each log entry.
	MaxOutputBytes int64 `json:"maxOutputBytes"`
	// MaxMemoryBytes is the memory limit of the cell.
	MaxMemoryBytes int64 `json:"maxMemoryBytes,omitempty"`
	// Now starts the script's clock, which then moves only with its timers; zero is the
	// machine's clock.
	Now time.Time `json:"now,omitzero"`
	// Seed seeds the script's random numbers; 0 seeds them at random.
	Seed uint64 `json:"seed,omitempty"`
}

// Hello is the first frame of a worker.
type Hello struct {
	// Version is the version of the protocol.
	Version int `json:"version"`
	// Confinement is what the worker gave up, as text for a report. The worker says so itself,
	// before it has any script.
	Confinement []string `json:"confinement,omitempty"`
	// Unconfined is why the worker could not give up its rights. It then ends and runs nothing.
	Unconfined string `json:"unconfined,omitempty"`
}

// Result answers a call or an operation. The body is the result object, unless nothing ran.
type Result struct {
	Seq int `json:"seq"`
	// Failed is set when the tool ran and failed.
	Failed bool `json:"failed,omitempty"`
	// Why says why it failed.
	Why string `json:"why,omitempty"`
	// Throws is set when a failure rejects in ctx.tool too.
	Throws bool `json:"throws,omitempty"`
	// Refusal is set when nothing ran, or when the result is a part and the whole was asked for.
	Refusal *Refusal `json:"refusal,omitempty"`
}

// Refusal is why a call rejects.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Call asks for a host tool. The body is the arguments.
type Call struct {
	Seq  int    `json:"seq"`
	Tool string `json:"tool"`
	// Background asks for a handle instead of waiting for the end.
	Background bool `json:"background,omitempty"`
	// TooLarge is the size of arguments over [MaxArguments], which were not
	// sent. The call is refused.
	TooLarge int64 `json:"tooLarge,omitempty"`
	// File is the number of the file that Line is in; 0 for the source itself.
	File int `json:"file,omitempty"`
	Line int `json:"line,omitempty"`
	Col  int `json:"col,omitempty"`
	// Part is what of a success the script takes; empty for all.
	Part string `json:"part,omitempty"`
	// Whole asks for a refusal if the answer was cut.
	Whole bool `json:"whole,omitempty"`
}

// Operate is an operation on what a call started. The body is the arguments; a result answers
// it.
type Operate struct {
	// Seq counts down from -1, so that it differs from those of calls.
	Seq int `json:"seq"`
	// Handle is the Seq of that call.
	Handle    int    `json:"handle"`
	Operation string `json:"operation"`
	// TooLarge is as in [Call].
	TooLarge int64 `json:"tooLarge,omitempty"`
}

// Log is one entry of the console.
type Log struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	// Tail is the end of a text that was cut after Text.
	Tail string `json:"tail,omitempty"`
	// Bytes is how long the text was before it was cut.
	Bytes int64 `json:"bytes"`
}

// Progress is how far a script says that it has come.
type Progress struct {
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// Return ends a run with a value, which is the body.
type Return struct {
	Usage
	// TooLarge is the size of a value over the cap, which was not sent.
	TooLarge int64 `json:"tooLarge,omitempty"`
	// Unawaited are the calls that nobody awaited, in order.
	Unawaited []int `json:"unawaited,omitempty"`
	// Unheard are the calls that failed, and of whose results nobody read the exitCode, in order.
	Unheard []int `json:"unheard,omitempty"`
	// Lost says which parts of the value JSON writes as something else.
	Lost []string `json:"lost,omitempty"`
}

// Cause is why a run threw.
type Cause string

// The causes of a throw.
const (
	CauseThrown      Cause = "thrown"      // the script threw, or its promise rejected
	CauseCompile     Cause = "compile"     // it is not a program
	CauseEntry       Cause = "entry"       // there is no function to call
	CauseNotJSON     Cause = "not-json"    // the value cannot be written as JSON
	CausePending     Cause = "pending"     // the promise can never settle
	CauseFailed      Cause = "failed"      // the script said so, by ctx.fail
	CauseStack       Cause = "stack"       // too deep a recursion
	CauseInterrupted Cause = "interrupted" // a stop frame ended it
	CausePanic       Cause = "panic"       // the engine failed
)

// Throw ends a run without a value.
type Throw struct {
	Usage
	Cause   Cause   `json:"cause"`
	Name    string  `json:"name,omitempty"`
	Message string  `json:"message,omitempty"`
	Stack   []Place `json:"stack,omitempty"`
	// Data is what a script gave to ctx.fail besides its message.
	Data json.RawMessage `json:"data,omitempty"`
	// Seq is the call whose ToolError this is; 0 if it is not a ToolError.
	Seq int `json:"seq,omitempty"`
	// Unawaited are the calls that nobody had awaited when it threw, in order: of a TypeError, or once run had returned.
	Unawaited []int `json:"unawaited,omitempty"`
	// Returned is set if run had its value, and something was still under way.
	Returned bool `json:"returned,omitempty"`
}

// Place is a stack frame in the author's file.
type Place struct {
	Func string `json:"func,omitempty"`
	// File is as in [Call].
	File int `json:"file,omitempty"`
	Line int `json:"line"`
	Col  int `json:"col"`
}

// Usage is what the realm itself measured.
type Usage struct {
	// RunNS is how long script code ran, in nanoseconds.
	RunNS int64 `json:"runNs"`
}
