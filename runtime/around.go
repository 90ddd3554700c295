package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// AroundRun wraps a run, from before it waits for a worker until its report is complete:
// for tracing or an audit. It must be safe for concurrent use.
//
// next does the run and returns its report, which AroundRun returns. It can pass next
// another context, which the run's calls get: cancelling that ends the run, and the cause
// is on the report. [Request.RunID] is set. Refused runs pass it too, with
// [Request.Refused] set. If it panics or returns nil, the run is cancelled and has the report
// of next, or is refused if next was not called.
type AroundRun func(ctx context.Context, request Request, next func(context.Context) *Report) *Report

// surround does a run inside all of its AroundRuns.
func (r *Runner) surround(ctx context.Context, request Request, run func(context.Context) *Report) *Report {
	for _, around := range slices.Backward(r.options.AroundRuns) {
		next := run
		run = func(ctx context.Context) (report *Report) {
			var done *Report
			defer func() {
				p := recover()
				if p == nil && report != nil {
					return
				}
				err := errors.New("an AroundRun of the host returned no report; this is a bug of the host")
				if p != nil {
					err = fmt.Errorf("an AroundRun of the host panicked; this is a bug of the host: %v", p)
				}
				switch report = done; {
				case report == nil:
					report = request.refuse(err)
				case request.Refused == nil: // what was refused stays so
					report.Cancel(err)
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

// Cancel turns the report into that of a cancelled run, for an [AroundRun] that finds a
// reason once the run is over: it withholds the value, and err is the cause. A report of a
// cancelled run does not change.
func (r *Report) Cancel(err error) {
	if r.Outcome == OutcomeCancelled {
		return
	}
	r.Outcome, r.Limit, r.Value, r.Text, r.cause = OutcomeCancelled, "", nil, "", err
	r.Failure = &ScriptError{Name: "CancelledError", Message: "the run was cancelled: " + clip.Head(err.Error(), maxFailureText)}
}
