package runtime

// Outcome says how a run ended: one of a closed set, decided where it happens
// and never read from text. The zero value is not an outcome.
type Outcome string

// The outcomes.
const (
	OutcomeOK            Outcome = "ok"             // run returned a value that fits
	OutcomeScriptError   Outcome = "script_error"   // it threw, rejected, or did not parse
	OutcomeInvalidInput  Outcome = "invalid_input"  // nothing ran: a tool file that does not load, inputs that break the schema
	OutcomeInvalidOutput Outcome = "invalid_output" // the value breaks the output schema, is not JSON, or is too large
	OutcomeLimit         Outcome = "limit"          // a limit other than time; Report.Limit names it
	OutcomeDenied        Outcome = "denied"         // it ended on an uncaught refusal
	OutcomeTimeout       Outcome = "timeout"        // the deadline passed
	OutcomeCancelled     Outcome = "cancelled"      // the caller ended it
	OutcomeCrashed       Outcome = "crashed"        // the cell died for no reason we set; the host lives on
)

// Limits that end a run, besides those of package hostapi.
const (
	LimitMemory = "maxMemoryBytes"
	LimitStack  = "stack"
	// LimitWorkers is that of runs which wait for a worker.
	LimitWorkers = "maxWorkers"
	// LimitRefusals is named when a script goes on after [MaxRefusals].
	LimitRefusals = "maxRefusals"
	LimitSource   = "source"
)
