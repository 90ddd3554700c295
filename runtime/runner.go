package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// Options configure a [Runner]. The zero value offers no tools.
type Options struct {
	// Tools are what scripts can be allowed to call. [Runner.Close] closes each that is an
	// [io.Closer], also if several runners share it.
	Tools []hostapi.Tool
	// Policies decide each call of every run, besides the tool file's list and the policies
	// of the run.
	Policies []hostapi.Policy
	// Approver asks a person about calls that a policy does not decide alone; nil denies
	// them.
	Approver hostapi.Approver
	// Around wrap each call and operation of every run; the first is the outermost.
	Around []hostapi.Around
	// AroundRuns wrap every run; the first is the outermost.
	AroundRuns []AroundRun
	// Ceiling lowers the limits of every run; zero fields lower nothing.
	Ceiling Limits
	// CeilingFrom says where Ceiling is set, such as "your settings", for the messages of
	// limits; empty means "the host's ceiling".
	CeilingFrom string
	// Observer is notified of what runs do.
	Observer Observer
	// InProcess runs scripts in this process. Use it only for scripts that you wrote: such a
	// script can end the process. Scripts always run in process on other systems than Linux
	// on amd64 and arm64; the report says so.
	InProcess bool
	// SpillDir keeps the whole of a returned text that was cut: value.txt in a folder for each
	// run, named by its ID. If it is empty, what was cut off is lost.
	SpillDir string
	// Cells connects to scripts that run elsewhere, in place of workers: it opens a stream to
	// a [ServeCell] for each run, and for each check of a source, until ctx ends. The host
	// does not trust what it reads from the stream. It closes the stream at the deadline,
	// which must end its reads and writes, and should end the other side. The provider must
	// limit the memory there. Nil means workers.
	Cells func(ctx context.Context) (io.ReadWriteCloser, error)
	// MaxWorkers is how many runs there are at the same time, each in its own process; 0
	// means 64. Others wait.
	MaxWorkers int
	// MaxQueuedRuns is how many runs can wait; 0 means 256. Others are refused, with the
	// outcome limit and [LimitWorkers].
	MaxQueuedRuns int
	// SpareWorkers is how many idle processes are kept ready for new programs; 0 means 1.
	// Each takes about 10 MB.
	SpareWorkers int
}

// Runner compiles and runs programs. It is safe for concurrent use.
type Runner struct {
	registry *hostapi.Registry
	options  Options
	compiled programCache
	checked  atomic.Uint64 // how many sources that can import
	cells    cells

	checking  context.Context // ends when the runner is closed
	endChecks context.CancelCauseFunc

	mu     sync.Mutex
	runs   map[*execution]struct{}
	left   []<-chan struct{} // what ended runs left behind; each is closed when it ends
	active sync.WaitGroup
	closed bool

	turns   hostapi.Turns // of large results
	closing sync.Once
	load    load
}

// New makes a runner. It refuses tools with invalid or equal names or invalid schemas and
// a ceiling that is out of range. It returns [ErrNoWorkerMain] if it cannot start workers.
// The caller must call [Runner.Close].
func New(options Options) (*Runner, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	r := &Runner{options: options, runs: map[*execution]struct{}{}}
	r.checking, r.endChecks = context.WithCancelCause(context.Background())
	var err error
	if r.cells, err = r.newCells(); err != nil {
		return nil, err
	}
	if r.registry, err = hostapi.NewRegistry(options.Tools...); err != nil {
		r.cells.close()
		return nil, err
	}
	if err := r.checkPolicies(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Runner) newCells() (cells, error) {
	o := r.options
	switch {
	case o.Cells != nil:
		return &streamCells{open: o.Cells, runs: worker.NewPlaces(o.MaxWorkers, o.MaxQueuedRuns), checks: worker.CheckPlaces(), leaves: r.leaves}, nil
	case o.InProcess || !worker.Supported:
		return &inProcessCells{}, nil
	}
	return newWorkers(o)
}

// checkPolicies refuses rules with patterns that the tool does not have. A rule about an
// unknown tool is no error: another host may offer that tool.
func (r *Runner) checkPolicies() error {
	err := eachRule(r.options.Policies, func(rule hostapi.Rule) error {
		var unknown *hostapi.UnknownNameError
		if err := r.registry.CheckRule(rule); err != nil && !errors.As(err, &unknown) {
			return err
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, r.Close())
	}
	return nil
}

func (o Options) check() error {
	if err := o.Ceiling.Check(); err != nil {
		return fmt.Errorf("ceiling: %w", err)
	}
	if o.MaxWorkers < 0 || o.SpareWorkers < 0 || o.MaxQueuedRuns < 0 {
		return errors.New("options: the numbers of workers and runs cannot be negative; 0 is the default")
	}
	if o.InProcess && o.Cells != nil {
		return errors.New("options: InProcess and Cells both say where scripts run; set one of them")
	}
	if !o.InProcess && o.Cells == nil && worker.Supported && !mainCalled.Load() {
		return ErrNoWorkerMain
	}
	return nil
}

// Shutdown refuses new runs and waits until the others have ended, or ctx ends. Then it
// calls [Runner.Close] and returns its error.
func (r *Runner) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.endChecks(ErrClosed)
	ended := make(chan struct{})
	go func() {
		r.active.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return r.Close()
}

// Close cancels every run and waits for their ends, and up to 10 s for what they left
// behind, such as a command that is ending. Then it closes the tools that are an
// [io.Closer], and returns their error. Later runs are refused. It can be called more than
// once.
func (r *Runner) Close() error {
	r.mu.Lock()
	r.closed = true
	for e := range r.runs {
		e.cancel(ErrClosed)
	}
	r.mu.Unlock()
	r.endChecks(ErrClosed)
	r.active.Wait()
	r.awaitLeft()
	r.closing.Do(r.cells.close)
	return r.registry.Close()
}

// ErrClosed is why a run did not begin, or was cancelled, and why a source was not checked: by
// [Runner.Shutdown] or [Runner.Close]. Such a run is [OutcomeCancelled].
var ErrClosed = errors.New("the runner was closed")

// Closed reports whether new runs are refused, as [Runner.Shutdown] or [Runner.Close] was called.
func (r *Runner) Closed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// MaxRuns is how many runs there are at the same time; others wait. It is 0 in process,
// where there is no limit.
func (r *Runner) MaxRuns() int { return r.cells.most() }

// Registry has the tools that the runner offers to scripts.
func (r *Runner) Registry() *hostapi.Registry { return r.registry }

// Run runs a program once and returns its report, which is never nil. The end of ctx ends
// the run and its tools.
func (r *Runner) Run(ctx context.Context, request Request) *Report {
	request.id = rand.Text()
	if request.Refused == nil {
		request.Refused = request.check()
	}
	return r.surround(ctx, request, func(ctx context.Context) *Report { return r.run(ctx, request) })
}

func (r *Runner) run(ctx context.Context, request Request) *Report {
	if request.Refused != nil {
		return request.refuse(request.Refused)
	}
	e := newExecution(ctx, r, request)
	if !r.enter(e) {
		e.cancel(ErrClosed)
		e.clock.free()
		return request.refuse(ErrClosed)
	}
	defer r.leave(e)
	return e.run() //nolint:contextcheck // it has the context as e.life
}

func (r *Runner) enter(e *execution) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.runs[e] = struct{}{}
	r.active.Add(1)
	return true
}

func (r *Runner) leave(e *execution) {
	r.mu.Lock()
	delete(r.runs, e)
	r.mu.Unlock()
	r.active.Done()
}

// Refuse returns the report of a run that never began. The outcome is script_error if err is
// itself a *[CompileError], limit if it is a *[SourceSizeError], cancelled for [ErrClosed], and
// else invalid_input.
func Refuse(tool, path string, err error) *Report {
	return (&Request{Tool: tool, Path: path, id: rand.Text()}).refuse(err)
}

// refuse is [Refuse] for a request.
func (r *Request) refuse(err error) *Report {
	report := newReport(r.id)
	report.Tool, report.Path = r.Tool, r.Path
	report.refuse(err)
	return report
}

// refuse ends a run that has no program.
func (r *Report) refuse(err error) {
	r.Outcome, r.cause = OutcomeInvalidInput, err
	r.Failure = &ScriptError{Name: "InvalidInput", Message: err.Error(), Pos: Position{File: r.Path}}
	r.Failure.Violations = violationsOf(err)
	if errors.Is(err, ErrClosed) {
		r.Outcome, r.Failure.Name = OutcomeCancelled, "CancelledError"
		r.Failure.Message = "the run did not begin: " + err.Error()
	}
	switch err := err.(type) { //nolint:errorlint // an error that wraps one is about more than the source
	case *CompileError:
		r.Outcome = OutcomeScriptError
		r.Failure.Name = "CompileError"
		if len(err.Problems) > 0 {
			p := err.Problems[0]
			r.Failure.Message, r.Failure.Pos = p.Msg, p.Pos
			if p.Pos.Line > 0 {
				r.Failure.Name = "SyntaxError"
				r.Failure.Frame = plain.Excerpt(lineOf(err.source, p.Pos.Line), p.Pos.Line, p.Pos.Col)
			}
		}
	case *SourceSizeError:
		r.Outcome, r.Limit = OutcomeLimit, LimitSource
	}
}
