package hostapi

// Outcome says how a tool's invocation ended. For the zero value the [Gate] chooses
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

// Status says how a call on the ledger ended; the set is closed.
type Status string

// The statuses of a recorded call. StatusUnknown is a call that was under way when the
// record was last written.
const (
	StatusOK        Status = "ok"
	StatusFailed    Status = "failed"
	StatusDenied    Status = "denied"
	StatusOverLimit Status = "over_limit"
	StatusCancelled Status = "cancelled"
	StatusUnknown   Status = "unknown"
)

// Effect says what kind of effect a tool can have. The zero value is unknown, and
// counts as the most dangerous.
type Effect string

// The effect classes.
const (
	EffectUnknown Effect = ""
	EffectRead    Effect = "read"
	EffectWrite   Effect = "write"
	EffectExec    Effect = "exec"
	EffectNetwork Effect = "network"
)
