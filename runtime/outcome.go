package runtime

// Outcome says how a run ended. It is one of the constants below, and never derived from
// text. The zero value is not an outcome.
type Outcome string

// The outcomes.
const (
	OutcomeOK            Outcome = "ok"             // run returned a value that fits
	OutcomeScriptError   Outcome = "script_error"   // it threw, rejected, or did not parse
	OutcomeFailed        Outcome = "failed"         // the script said that it could not do it, by ctx.fail
	OutcomeInvalidInput  Outcome = "invalid_input"  // nothing ran: a tool file that does not load, inputs that break the schema
	OutcomeInvalidOutput Outcome = "invalid_output" // the value breaks the output schema, is not JSON, or is too large
	OutcomeLimit         Outcome = "limit"          // a limit other than time; Report.Limit names it
	OutcomeDenied        Outcome = "denied"         // it ended on an uncaught refusal
	OutcomeTimeout       Outcome = "timeout"        // the deadline passed
	OutcomeCancelled     Outcome = "cancelled"      // the caller ended it
	OutcomeCrashed       Outcome = "crashed"        // the cell died for an unknown reason; the host did not
)

// Limits that can end a run, besides those of package hostapi.
const (
	LimitMemory = "maxMemoryBytes"
	LimitStack  = "stack"
	// LimitWorkers is exceeded when too many runs wait for a worker.
	LimitWorkers = "maxWorkers"
	// LimitRefusals is exceeded when a script makes more than [MaxRefusals] refused calls.
	LimitRefusals = "maxRefusals"
	LimitSource   = "source"
)
