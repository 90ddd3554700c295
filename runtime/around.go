package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// AroundRun goes around a run, from before it waits for a worker until its report is
// written: tracing, an audit. It must be safe for concurrent use.
//
// next does the run and returns its report. AroundRun returns that report. It can give
// next another context, which the run's calls get: one that it cancels ends the run,
// and the cause is on the report. [Request.RunID] is the run's number already. Runs that
// are refused pass it too, with [Request.Refused] set. Where it panics or returns nil, the report of
// next is returned, and a run that next was not asked for is refused.
type AroundRun func(ctx context.Context, request Request, next func(context.Context) *Report) *Report

// surround does a run with everything that goes around it.
func (r *Runner) surround(ctx context.Context, request Request, run func(context.Context) *Report) *Report {
	for _, around := range slices.Backward(r.options.AroundRuns) {
		next := run
		run = func(ctx context.Context) (report *Report) {
			var done *Report
			defer func() {
				p := recover()
				switch {
				case p == nil && report != nil:
				case done != nil:
					report = done
				default:
					report = request.refuse(fmt.Errorf("what the host has around runs returned no report; this is a bug of the host: %v", p))
				}
			}()
			return around(ctx, request, func(ctx context.Context) *Report {
				done = next(ctx)
				return done
			})
		}
	}
	return run(ctx)
}

// Cancel makes a report that of a run which was cancelled, for an [AroundRun] that has a
// reason when it is over: its value is withheld, and err is why. One that was cancelled
// stays what it is.
func (r *Report) Cancel(err error) {
	if r.Outcome == OutcomeCancelled {
		return
	}
	r.Outcome, r.Limit, r.Value, r.Text, r.cause = OutcomeCancelled, "", nil, "", err
	r.Failure = &ScriptError{Name: "CancelledError", Message: "the run was cancelled: " + clip.Head(err.Error(), maxFailureText)}
}
