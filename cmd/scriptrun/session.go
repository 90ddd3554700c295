package main

import (
	"context"
	"fmt"

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

// session opens the host, runs, prints the report and returns its exit code.
func (f *runFlags) session(e env, name string, p purpose, do func(*session) *runtime.Report) error {
	ctx, stop := e.interrupted()
	defer stop()
	live := newLiveLine(e)
	report := func() *runtime.Report {
		h, err := f.open(ctx, e, live.observer(), p)
		if err != nil {
			return runtime.Refuse(name, "", err)
		}
		defer h.close()
		return do(&session{env: e, ctx: ctx, host: h, live: live})
	}()
	live.stop()
	var printed error
	if f.json {
		printed = printJSON(e.stdout, report)
	} else {
		printed = printReport(e, report)
	}
	if printed != nil { // the answer did not arrive, whatever it was
		_, _ = fmt.Fprintf(e.stderr, "scriptrun: %v\n", printed)
		return exit(exitFailed)
	}
	if code := exitCode(report.Outcome); code != exitOK {
		return exit(code)
	}
	return nil
}
