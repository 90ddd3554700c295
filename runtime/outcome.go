package runtime

// Outcome says how a run ended. It is one of the constants below, and never derived from
// text. The zero value is not an outcome.
type Outcome string

// The outcomes.
const (
	OutcomeOK            Outcome = "ok"             // run returned a value that fits
	OutcomeScriptError   Outcome = "script_error"   // it threw, rejected, or did not parse
	OutcomeFailed        Outcome = "failed"         // the script said that it could not do it, by ctx.fail; the error has its words and its data
	OutcomeInvalidInput  Outcome = "invalid_input"  // nothing ran: wrong usage, a tool file that does not load, inputs that break the schema
	OutcomeInvalidOutput Outcome = "invalid_output" // the value breaks output_schema, is not JSON, or is not a string and exceeds maxOutputBytes
	OutcomeLimit         Outcome = "limit"          // tool calls, bytes, memory, stack or source were too many; the report names the limit
	OutcomeDenied        Outcome = "denied"         // it ended on a refusal, by the allow-list, a policy or a person, that it did not catch
	OutcomeTimeout       Outcome = "timeout"        // the deadline passed
	OutcomeCancelled     Outcome = "cancelled"      // the caller, Ctrl-C, SIGTERM, or a terminal that closed, ended it
	OutcomeCrashed       Outcome = "crashed"        // the engine failed, somebody killed the worker, or it could not be confined; the host lives on
)

// The names of limits, besides those of package hostapi.
const (
	LimitMemory = "maxMemoryBytes"
	// LimitOutputBytes is that of the value and the logs of a run.
	LimitOutputBytes = "maxOutputBytes"
	LimitStack       = "stack"
	// LimitWorkers is exceeded when too many runs wait for a worker.
	LimitWorkers = "maxWorkers"
	// LimitRefusals is exceeded when a script makes more than [MaxRefusals] refused calls.
	LimitRefusals = "maxRefusals"
	LimitSource   = "source"
)
