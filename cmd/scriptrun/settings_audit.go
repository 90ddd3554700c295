package main

import (
	"fmt"
	"io"
	"os/user"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/tracecontext"
	"github.com/scriptrun/scriptrun/runtime"
	"github.com/scriptrun/scriptrun/runtime/audit"
	"github.com/scriptrun/scriptrun/scripttools/settings"
)

// auditSettings are [audit] of the operator's file.
type auditSettings struct {
	file    string // absolute; empty for no log
	require bool
}

func auditOf(s *settings.Settings) auditSettings { return auditSettings{s.AuditFile, s.RequireAudit} }

// create makes the file before anything runs, because only a file that exists can be
// protected.
func (a auditSettings) create(stderr io.Writer) error {
	if a.file == "" {
		return nil
	}
	err := audit.Create(a.file)
	switch {
	case err == nil:
		return nil
	case a.require:
		return fmt.Errorf("runs that cannot be recorded are refused (audit.require): %w", err)
	}
	a.failed(stderr, err)
	return nil
}

func (a auditSettings) failed(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "scriptrun: the audit log %s is not written: %s\n", plain.Line(a.file), plain.Line(err.Error()))
}

// around records what a runner does.
func (a auditSettings) around(options *runtime.Options, stderr io.Writer) {
	if a.file == "" {
		return
	}
	var once sync.Once // a full disk would fail thousands of lines
	log := audit.New(audit.Options{
		To: audit.File(a.file), Require: a.require, User: whoRuns(),
		Trace:  tracecontext.ID,
		Failed: func(err error) { once.Do(func() { a.failed(stderr, err) }) },
	})
	options.Around = append(options.Around, hostapi.Around(log.Around))
	options.AroundRuns = append(options.AroundRuns, log.AroundRun)
}

// whoRuns is the user, by name and number.
func whoRuns() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s (%s)", u.Username, u.Uid)
}
