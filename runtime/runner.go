package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// Options are what a [Runner] is made of. The zero value offers no tools.
type Options struct {
	// Tools are what scripts may be allowed to call. [Runner.Close] closes
	// those that are an [io.Closer]; a tool that several runners share must
	// stand that.
	Tools []hostapi.Tool
	// Policies have a say in each call of every run, besides the tool file's list and
	// the run's own policies.
	Policies []hostapi.Policy
	// Approver asks somebody about calls that a policy does not decide alone; nil
	// denies them.
	Approver hostapi.Approver
	// Around go around each call and operation, in every run, the first outermost.
	Around []hostapi.Around
	// AroundRuns go around every run, the first outermost.
	AroundRuns []AroundRun
	// Ceiling lowers the limits of every run; zero fields lower nothing.
	Ceiling Limits
	// Observer is told what runs do.
	Observer Observer
	// InProcess runs scripts inside this process: for scripts that you wrote.
	// Nothing keeps such a script from ending the process. It is so whatever this
	// says on other systems than Linux on amd64 and arm64, and the report says so.
	InProcess bool
	// Cells connects to scripts that run elsewhere, in place of workers: it opens a
	// stream to a [ServeCell] for each run, and each check of a source, until ctx ends.
	// What comes from there is taken for an attacker's. At the deadline the stream is
	// closed, which must end what reads from it and writes to it, and should end the
	// other side. How much memory is used there is not known: it is the provider's
	// to bound. Nil means workers.
	Cells func(ctx context.Context) (io.ReadWriteCloser, error)
	// MaxWorkers is how many runs there are at once, each in a process of its
	// own; 0 means 64. More wait.
	MaxWorkers int
	// MaxQueuedRuns is how many wait, until their deadlines at most; 0 means
	// 256. More are refused, with the outcome limit and [LimitWorkers].
	MaxQueuedRuns int
	// SpareWorkers is how many processes are kept ready for what has not run
	// yet; 0 means 1. Each takes about 10 MB.
	SpareWorkers int
}

// Runner compiles and runs programs. It is safe for concurrent use.
type Runner struct {
	registry *hostapi.Registry
	options  Options
	compiled programCache
	cells    cells

	checking  context.Context // ends when no source is to be checked any more
	endChecks context.CancelCauseFunc

	mu     sync.Mutex
	runs   map[*execution]struct{}
	left   []<-chan struct{} // what ended runs have left behind; each is closed when it ends
	active sync.WaitGroup
	closed bool

	closing sync.Once
	load    load
}

// New makes a runner. It refuses tools with bad or equal names or bad schemas,
// a ceiling out of range, and with [ErrNoWorkerMain] a program that cannot
// start workers. The caller must call [Runner.Close].
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

// checkPolicies refuses patterns that a tool cannot keep. A rule of a tool that there
// is not concerns nothing here, and another host may have it.
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
		return errors.New("options: numbers of workers and runs are not negative; 0 is the default")
	}
	if o.InProcess && o.Cells != nil {
		return errors.New("options: InProcess and Cells say where scripts run; set one of them")
	}
	if !o.InProcess && o.Cells == nil && worker.Supported && !mainCalled.Load() {
		return ErrNoWorkerMain
	}
	return nil
}

// Shutdown refuses new runs and waits for those that there are, until ctx
// ends; then it is [Runner.Close], whose error it returns.
func (r *Runner) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.endChecks(errClosed)
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

// Close ends every run as cancelled and waits until they have ended, and for up
// to 10 s for what they left behind, such as a command that has been told to end.
// Then it closes the tools that are an [io.Closer]. Runs that begin later are
// refused.
// It may be called more than once; the error is that of the tools.
func (r *Runner) Close() error {
	r.mu.Lock()
	r.closed = true
	for e := range r.runs {
		e.cancel(errClosed)
	}
	r.mu.Unlock()
	r.endChecks(errClosed)
	r.active.Wait()
	r.awaitLeft()
	r.closing.Do(r.cells.close)
	return r.registry.Close()
}

var errClosed = errors.New("the runner was closed")

// MaxRuns is how many runs there are at once; 0 where there is no bound, for they have
// no processes of their own. More wait.
func (r *Runner) MaxRuns() int { return r.cells.most() }

// Registry is what the runner offers to scripts.
func (r *Runner) Registry() *hostapi.Registry { return r.registry }

// Run runs a program once, to one of the endings that [Outcome] lists, and
// returns its receipt, never nil. The end of ctx ends the run and its tools.
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
		e.cancel(errClosed)
		e.clock.free()
		return request.refuse(errClosed)
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

// Refuse is the report of a run that never began: invalid_input, unless err is
// itself a *[CompileError], which is a script_error, or a *[SourceSizeError],
// which is a limit.
func Refuse(tool, path string, err error) *Report {
	return (&Request{Tool: tool, Path: path, id: rand.Text()}).refuse(err)
}

// refuse is [Refuse] of a run that has its number.
func (r *Request) refuse(err error) *Report {
	report := newReport(r.id)
	report.Tool, report.Path = r.Tool, r.Path
	report.refuse(err)
	return report
}

// refuse is how a run ends that had no program to run.
func (r *Report) refuse(err error) {
	r.Outcome, r.cause = OutcomeInvalidInput, err
	r.Failure = &ScriptError{Name: "InvalidInput", Message: err.Error(), Pos: Position{File: r.Path}}
	r.Failure.Violations = violationsOf(err)
	switch err := err.(type) { //nolint:errorlint // an error that wraps one is about more than that source
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
