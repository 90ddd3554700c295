package runtime

import (
	"context"
	"fmt"

	"github.com/scriptrun/scriptrun/hostapi"
)

// RunError is the error of a run that did not end well; see [Report.Err].
//
// errors.Is matches context.DeadlineExceeded for a timeout, context.Canceled
// for a cancelled run, [hostapi.ErrDenied] for a denied one and
// [hostapi.ErrOverLimit] for a limit. errors.As finds the *[ScriptError], and
// what refused the run before it began.
type RunError struct {
	Tool    string
	Outcome Outcome
	// Limit names the limit for [OutcomeLimit].
	Limit   string
	Failure *ScriptError

	cause error
}

// Error is one line: the tool, the outcome, and what went wrong.
func (e *RunError) Error() string {
	outcome := string(e.Outcome)
	if e.Limit != "" {
		outcome += " " + e.Limit
	}
	if e.Failure == nil {
		return fmt.Sprintf("%s: %s", e.Tool, outcome)
	}
	return fmt.Sprintf("%s: %s: %v", e.Tool, outcome, e.Failure)
}

// Unwrap gives the failure and what caused it.
func (e *RunError) Unwrap() []error {
	var out []error
	if e.Failure != nil {
		out = append(out, e.Failure)
	}
	if e.cause != nil {
		out = append(out, e.cause)
	}
	return out
}

// Is makes errors.Is agree with the outcome.
func (e *RunError) Is(target error) bool {
	switch e.Outcome {
	case OutcomeTimeout:
		return target == context.DeadlineExceeded
	case OutcomeCancelled:
		return target == context.Canceled
	case OutcomeDenied:
		return target == hostapi.ErrDenied
	case OutcomeLimit:
		return target == hostapi.ErrOverLimit
	}
	return false
}

// Err is nil for a run that ended ok, and a *[RunError] for every other.
func (r *Report) Err() error {
	if r.Outcome == OutcomeOK {
		return nil
	}
	return &RunError{Tool: r.Tool, Outcome: r.Outcome, Limit: r.Limit, Failure: r.Failure, cause: r.cause}
}
