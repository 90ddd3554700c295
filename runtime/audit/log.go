package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// Options are what a [Log] is made of. To must be set.
type Options struct {
	To Sink
	// Require stops what cannot be recorded: a run does not begin when its first line
	// cannot be written, and one of which another line could not is cancelled, and
	// returns no value.
	Require bool
	// User is who runs the host, on each line.
	User string
	// Trace is the number of the trace that a context belongs to; nil knows of none.
	Trace func(context.Context) string
	// Failed is told of each line that could not be written, and why. Nil is silent.
	Failed func(error)
}

// Log is an audit log. It is safe for concurrent use.
type Log struct {
	options Options
	runs    sync.Map // of *run, by number
}

// run is one that goes on.
type run struct {
	caller string
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	told map[int]bool // calls that have their line
	lost error        // why a line could not be written, the first time
}

// New makes a log.
func New(options Options) *Log { return &Log{options: options} }

// Around is a [hostapi.Around].
func (l *Log) Around(ctx context.Context, call hostapi.Call, next func(context.Context) (hostapi.Result, error)) (hostapi.Result, error) {
	began := time.Now()
	entry := l.entry(ctx, EventCall, call.Run)
	if entry.describe(call); call.Operation == "" {
		entry.resolve(ctx, call)
	}
	r, _ := l.runs.Load(call.Run)
	of, known := r.(*run) // it may have ended when the call does
	if known {
		entry.Caller = of.caller
	}
	result, err := next(ctx)
	entry.ended(ctx, call, result, err)
	entry.took(time.Since(began))
	if call.Operation == "" && known && !of.tells(call.Seq) {
		return result, err // the run has ended, and told of it
	}
	l.write(ctx, of, entry)
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
	entry := l.entry(ctx, EventRunBegan, request.RunID())
	entry.Caller, entry.Tool, entry.Source, entry.Digest = request.Caller, request.Tool, request.Path, request.Digest
	entry.Args = hostapi.Call{Args: request.Inputs}.RecordedArgs()
	l.write(ctx, of, entry)

	report := next(ctx)
	for _, row := range report.Calls {
		if of.tells(row.Seq) { // the end of the run came first
			l.write(ctx, of, l.rowEntry(ctx, of, request.RunID(), row))
		}
	}
	entry.Event, entry.Args = EventRun, nil
	entry.Outcome, entry.Limit = report.Outcome, report.Limit
	if report.Failure != nil {
		entry.Error = report.Failure.Message
	}
	calls := len(report.Calls)
	entry.Calls = &calls
	entry.took(time.Since(began))
	l.write(ctx, of, entry)
	if lost := of.missing(); lost != nil && request.Refused == nil {
		report.Cancel(lost)
	}
	return report
}

// tells claims the line of a call; it is false where somebody else has.
func (r *run) tells(seq int) bool {
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

// write writes a line. Where it must be and cannot, the run is cancelled.
func (l *Log) write(ctx context.Context, of *run, entry Entry) {
	entry.Time = time.Now()
	err := l.put(ctx, entry)
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

// put gives a line to the sink, of which a panic is an error too.
func (l *Log) put(ctx context.Context, entry Entry) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the sink panicked; this is a bug of it: %v", p)
		}
	}()
	return l.options.To(context.WithoutCancel(ctx), entry)
}

func (l *Log) entry(ctx context.Context, event, run string) Entry {
	entry := Entry{Event: event, User: l.options.User, Run: run}
	if l.options.Trace != nil {
		entry.Trace = l.options.Trace(ctx)
	}
	return entry
}

// rowEntry is what the ledger tells of a call that the end of its run overtook.
func (l *Log) rowEntry(ctx context.Context, of *run, id string, row hostapi.Record) Entry {
	entry := l.entry(ctx, EventCall, id)
	entry.Caller, entry.Tool, entry.Seq, entry.Parent, entry.Site = of.caller, row.Tool, row.Seq, row.Parent, row.Site
	entry.Args, entry.Background = row.Args, row.Background
	entry.Verdict, entry.Rule, entry.Status, entry.Limit, entry.Error = row.Verdict, row.Rule, row.Status, row.Limit, row.Err
	entry.took(row.Ended.Sub(row.Started))
	return entry
}

// describe says what is asked for, and what was decided.
func (e *Entry) describe(call hostapi.Call) {
	e.Tool, e.Seq, e.Parent, e.Operation, e.Site = call.Tool, call.Seq, call.Parent, call.Operation, call.Site
	e.Args, e.Background = call.RecordedArgs(), call.Background
	e.Verdict, e.RuleFrom = call.Decision.Verdict, call.Decision.Rule.From
	if call.Decision.Rule.Tool != "" {
		e.Rule = call.Decision.Rule.String()
	}
	if call.Operation != "" {
		e.Event = EventOperation
	}
}

// resolve says what the call comes to. Of one that is refused nothing more is resolved.
func (e *Entry) resolve(ctx context.Context, call hostapi.Call) {
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

// ended says how it ended.
func (e *Entry) ended(ctx context.Context, call hostapi.Call, result hostapi.Result, err error) {
	e.Status = hostapi.StatusOf(ctx, call, result, err)
	if over := (*hostapi.QuotaError)(nil); errors.As(err, &over) {
		e.Limit = over.Limit
	}
	if err != nil {
		e.Error = err.Error()
		return
	}
	if e.Status != hostapi.StatusOK {
		e.Error = bounded(result.Output, maxText)
	}
	if call.Operation == "" {
		e.ExitCode, e.Signal = &result.ExitCode, result.Signal
		var where struct{ Cwd, Environment string }
		if json.Unmarshal(result.Metadata, &where) == nil {
			e.Cwd, e.Environment = where.Cwd, where.Environment
		}
	}
}

func (e *Entry) took(d time.Duration) {
	ms := float64(d.Microseconds()) / 1000
	e.DurationMS = &ms
}
