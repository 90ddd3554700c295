package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// Options configure a [Log]. To must be set.
type Options struct {
	To Sink
	// Require stops what cannot be recorded: a run does not begin when its first line
	// cannot be written. When a later line cannot be, the run is cancelled and returns no
	// value.
	Require bool
	// User is who runs the host. It is on each line.
	User string
	// Trace returns the ID of the trace of a context; nil leaves it out.
	Trace func(context.Context) string
	// Failed is called for each line that could not be written, with the reason.
	Failed func(error)
}

// Sink writes lines: each is one JSON object with its newline, at most 64 KiB long. It must
// be safe for concurrent use. An error says that the line was not written.
type Sink func(ctx context.Context, line []byte) error

// Log is an audit log. It is safe for concurrent use.
type Log struct {
	options Options
	runs    sync.Map // of *run, by run ID
}

// run is a run that has not ended.
type run struct {
	caller string
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	told map[int]bool // calls that have their line
	lost error        // why the first line that is missing could not be written
}

// New makes a log.
func New(options Options) *Log { return &Log{options: options} }

// Around is a [hostapi.Around].
func (l *Log) Around(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
	began := time.Now()
	e := l.entry(ctx, eventCall, call.Run)
	if e.describe(call); call.Operation == "" {
		e.resolve(ctx, call)
	}
	r, _ := l.runs.Load(call.Run)
	of, known := r.(*run) // looked up now: the run may end before the call does
	if known {
		e.Caller = of.caller
	}
	result, err := next(ctx)
	e.ended(ctx, call, result, err)
	e.took(time.Since(began))
	if call.Operation == "" && known && !of.claim(call.Seq) {
		return result, err // the run ended first, and wrote the line
	}
	l.write(ctx, of, e)
	return result, err
}

// AroundRun is a [runtime.AroundRun].
func (l *Log) AroundRun(ctx context.Context, request runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
	began := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	of := &run{caller: request.Caller, cancel: cancel, told: map[int]bool{}}
	l.runs.Store(request.RunID(), of)
	defer l.runs.Delete(request.RunID())
	e := l.entry(ctx, eventRunBegan, request.RunID())
	e.Caller, e.Tool, e.Source, e.Digest = request.Caller, request.Tool, request.Path, request.Digest
	e.Args = hostapi.Call{Args: request.Inputs}.RecordedArgs()
	l.write(ctx, of, e)

	report := next(ctx)
	for _, row := range report.Calls {
		if of.claim(row.Seq) { // the run ended before the call did
			l.write(ctx, of, l.rowEntry(ctx, of, request.RunID(), row))
		}
	}
	calls := len(report.Calls)
	e.Event, e.Args, e.Calls = eventRun, nil, &calls
	e.Outcome, e.Limit = report.Outcome, report.Limit
	if report.Failure != nil {
		e.Error = report.Failure.Message
	}
	e.took(time.Since(began))
	l.write(ctx, of, e)
	if lost := of.missing(); lost != nil && request.Refused == nil {
		report.Cancel(lost)
	}
	return report
}

// claim reports whether the caller is to write the line of a call, which nobody else has.
func (r *run) claim(seq int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told[seq] {
		return false
	}
	r.told[seq] = true
	return true
}

func (r *run) missing() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// write writes a line. If it fails and lines are required, the run is cancelled.
func (l *Log) write(ctx context.Context, of *run, e entry) {
	e.Time = time.Now()
	err := l.put(ctx, e)
	if err == nil {
		return
	}
	if l.options.Failed != nil {
		l.options.Failed(err)
	}
	if of == nil || !l.options.Require {
		return
	}
	of.mu.Lock()
	if of.lost == nil {
		of.lost = fmt.Errorf("it cannot be recorded in the audit log, which is required: %w", err)
	}
	lost := of.lost
	of.mu.Unlock()
	of.cancel(lost)
}

// put gives a line to the sink. A panic of the sink is an error.
func (l *Log) put(ctx context.Context, e entry) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the sink panicked; this is a bug of it: %v", p)
		}
	}()
	line, err := e.line()
	if err != nil {
		return err
	}
	return l.options.To(context.WithoutCancel(ctx), line)
}

func (l *Log) entry(ctx context.Context, event, run string) entry {
	e := entry{Event: event, User: l.options.User, Run: run}
	if l.options.Trace != nil {
		e.Trace = l.options.Trace(ctx)
	}
	return e
}

// rowEntry is the line of a call that had not ended when its run did.
func (l *Log) rowEntry(ctx context.Context, of *run, id string, row hostapi.Record) entry {
	e := l.entry(ctx, eventCall, id)
	e.Caller, e.Tool, e.Seq, e.Parent, e.Site = of.caller, row.Tool, row.Seq, row.Parent, row.Site
	e.Args, e.Background = row.Args, row.Background
	e.Verdict, e.Rule, e.Status, e.Limit, e.Error = row.Verdict, row.Rule, row.Status, row.Limit, row.Err
	e.took(row.Ended.Sub(row.Started))
	return e
}

// describe adds what is asked for and what was decided.
func (e *entry) describe(call hostapi.Call) {
	e.Tool, e.Seq, e.Parent, e.Operation, e.Site = call.Tool, call.Seq, call.Parent, call.Operation, call.Site
	e.Args, e.Background = call.RecordedArgs(), call.Background
	e.Verdict, e.RuleFrom = call.Decision.Verdict, call.Decision.Rule.From
	if call.Decision.Rule.Tool != "" {
		e.Rule = call.Decision.Rule.String()
	}
	if call.Operation != "" {
		e.Event = eventOperation
	}
}

// resolve adds the call's plan. A refused call is not resolved again.
func (e *entry) resolve(ctx context.Context, call hostapi.Call) {
	defer func() {
		if p := recover(); p != nil {
			e.Opaque = fmt.Sprintf("the tool's plan panicked; this is a bug of the tool: %v", p)
		}
	}()
	plan := call.Plan
	if plan == nil && call.Refused == nil {
		var opaque *hostapi.OpaqueError
		var err error
		if plan, err = call.Resolve(ctx); errors.As(err, &opaque) {
			e.Opaque = opaque.Reason
		}
	}
	if plan == nil {
		return
	}
	subjects := plan.Subjects()
	for _, subject := range subjects[:min(len(subjects), maxPlan)] {
		e.Plan = append(e.Plan, bounded(subject.String(), maxSubject))
	}
	e.PlanLeftOut = len(subjects) - len(e.Plan)
}

// ended adds how the call or the operation ended.
func (e *entry) ended(ctx context.Context, call hostapi.Call, result hostapi.Result, err error) {
	e.Status = hostapi.StatusOf(ctx, call, result, err)
	if over := (*hostapi.QuotaError)(nil); errors.As(err, &over) {
		e.Limit = over.Limit
	}
	if err != nil {
		e.Error = err.Error()
		return
	}
	if e.Status != hostapi.StatusOK {
		e.Error = cmp.Or(result.Output, result.Reason) // what runs in the background ends without output
	}
	if call.Operation == "" {
		e.ExitCode, e.Signal = &result.ExitCode, result.Signal
		var where struct{ Cwd, Environment string }
		if json.Unmarshal(result.Metadata, &where) == nil {
			e.Cwd, e.Environment = where.Cwd, where.Environment
		}
	}
}

func (e *entry) took(d time.Duration) {
	ms := float64(d.Microseconds()) / 1000
	e.DurationMS = &ms
}
