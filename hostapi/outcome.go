package hostapi

// Outcome says how a tool's invocation ended. It is set where the ending is
// known and never derived from text. The zero value lets the [Gate] choose
// between [OutcomeOK] and [OutcomeFailed] by [Result.ExitCode].
type Outcome string

// The outcomes of an invocation.
const (
	OutcomeOK         Outcome = "ok"          // the tool ran and did what was asked
	OutcomeFailed     Outcome = "failed"      // the tool ran and says it failed
	OutcomeSignaled   Outcome = "signaled"    // a process died of a signal; see Result.Signal
	OutcomeTimeout    Outcome = "timeout"     // the call's own deadline passed
	OutcomeCancelled  Outcome = "cancelled"   // the run ended or was cancelled first
	OutcomeNotStarted Outcome = "not_started" // nothing ran, a process could not be spawned
)

// Status says what became of a call in the ledger: the closed set that
// reports carry.
type Status string

// The statuses of a recorded call. StatusUnknown is the zero value's meaning:
// the call was in flight when the record was last written.
const (
	StatusOK        Status = "ok"
	StatusFailed    Status = "failed"
	StatusDenied    Status = "denied"
	StatusOverLimit Status = "over_limit"
	StatusCancelled Status = "cancelled"
	StatusUnknown   Status = "unknown"
)

// Effect classes what a tool may do to the world. The zero value is unknown
// and is to be treated as the most dangerous of them.
type Effect string

// The effect classes.
const (
	EffectUnknown Effect = ""
	EffectRead    Effect = "read"
	EffectWrite   Effect = "write"
	EffectExec    Effect = "exec"
	EffectNetwork Effect = "network"
)
