package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
	"github.com/scriptrun/scriptrun/runtime"
)

// session is one run of run or eval, with the terminal that watches it.
type session struct {
	env  env
	ctx  context.Context
	host *host
	live *liveLine
}

// began tells the terminal what runs.
func (s *session) began(name string) { s.live.start(name) }

// notOpened is the report of a run that had no host to run on.
func notOpened(ctx context.Context, name string, began time.Time, err error) *runtime.Report {
	r := runtime.Refuse(name, "", err)
	r.Started, r.Usage.Wall = began, time.Since(began)
	switch late := (*lateServerError)(nil); {
	case ctx.Err() != nil:
		r.Outcome, r.Failure = runtime.OutcomeCancelled, &runtime.ScriptError{Name: "CancelledError", Message: "the run was cancelled before it began"}
	case errors.As(err, &late):
		r.Outcome, r.Failure = runtime.OutcomeTimeout, &runtime.ScriptError{Name: "TimeoutError", Message: late.Error()}
	}
	return r
}

// session opens the host, runs, prints the report and returns its exit code.
func (f *runFlags) session(e env, name string, p purpose, do func(*session) *runtime.Report) error {
	ctx, stop := e.interrupted()
	defer stop()
	ctx = tracecontext.With(ctx, os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE"))
	live := newLiveLine(e)
	began := time.Now()
	p.timeout = max(f.timeout, 0) // one out of range is refused later
	p.approver, p.runs, p.traces = e.approver(live, stop), true, startTraces(ctx, e.stderr)
	defer p.traces.end() // after the answer is printed
	var untold []string
	report := func() *runtime.Report {
		h, err := f.open(ctx, e, live.observer(), p)
		if err != nil {
			return notOpened(ctx, name, began, err)
		}
		defer func() {
			h.close()
			untold = h.shell.Untold()
		}()
		return do(&session{env: e, ctx: ctx, host: h, live: live})
	}()
	context.AfterFunc(ctx, stop) // nobody may read the output, and a second signal ends the wait
	shown := live.stop()
	var printed error
	switch {
	case f.json && f.watch:
		printed = printLine(e.stdout, report)
	case f.json:
		printed = printJSON(e.stdout, report)
	default:
		printed = printReport(e, report, shown)
	}
	for _, line := range untold { // of commands that outlasted the run
		_, _ = fmt.Fprintf(e.stderr, "scriptrun: %s\n", line)
	}
	if printed != nil { // the answer did not arrive
		_, _ = fmt.Fprintf(e.stderr, "scriptrun: %v\n", printed)
		return exit(exitFailed)
	}
	f.ended(report)
	if code := exitCode(report.Outcome); code != exitOK {
		return exit(code)
	}
	return nil
}
