package runtime

import (
	"context"

	"github.com/scriptrun/scriptrun/hostapi"
)

// RunError is the error of a run that did not end ok; see [Report.Err].
//
// errors.Is matches context.DeadlineExceeded for a timeout, context.Canceled
// for a cancelled run, [hostapi.ErrDenied] for a denied one and
// [hostapi.ErrOverLimit] for a limit. errors.As finds the *[ScriptError], and
// the error that refused the run before it began.
type RunError struct{ Report *Report }

// Error is one line: the tool, the outcome, and what went wrong.
func (e *RunError) Error() string {
	text := e.Report.Tool + ": " + e.Report.ending()
	if e.Report.Failure != nil {
		text += ": " + e.Report.Failure.Error()
	}
	return text
}

// Unwrap returns the failure and its cause.
func (e *RunError) Unwrap() []error {
	var out []error
	if e.Report.Failure != nil {
		out = append(out, e.Report.Failure)
	}
	if e.Report.cause != nil {
		out = append(out, e.Report.cause)
	}
	return out
}

// Is makes errors.Is agree with the outcome.
func (e *RunError) Is(target error) bool {
	switch e.Report.Outcome {
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

// Err is nil for a run that ended ok, and a *[RunError] for any other.
func (r *Report) Err() error {
	if r.Outcome == OutcomeOK {
		return nil
	}
	return &RunError{Report: r}
}
