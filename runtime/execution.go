package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// endGrace is how long a run that is over waits for its script and its tools, before it
// kills the script and leaves the tools behind.
const endGrace = 250 * time.Millisecond

// execution is a run in progress.
type execution struct {
	runner  *Runner
	request Request
	program *Program
	limits  Limits
	report  *Report

	registry *hostapi.Registry
	observer Observer
	outputs  []func(hostapi.CallOutput)

	// life is the context of tools: it ends with the clock and with the run. cancel can be
	// called at any time, from any goroutine.
	clock    *clock
	life     context.Context
	cancel   context.CancelCauseFunc
	patience time.Time // when a run that is over stops waiting

	gate    *hostapi.Gate
	cell    cell
	journal logBook
	wait    waitClock
	backlog backlog
	// Places for calls, and for operations, whose results wait for the script to read them.
	called, results chan struct{}

	turns *hostapi.TurnQueue // of its large results

	endOnce  sync.Once
	over     chan struct{} // closed once something other than the cell ended the run
	endedBy  ending
	lastSeq  int
	rows     []int // the ledger's numbers of the realm's calls
	refusals atomic.Int64
	parts    sync.Map // the realm's calls that rejected as their answers were cut

	lastOperation int // the numbers count down
	operations    atomic.Int64
}

// errDeadline is the cause of a run that ended at its own deadline, not its caller's.
var errDeadline = fmt.Errorf("the run's time is up: %w", context.DeadlineExceeded)

// maxUnread is how many bytes of results may wait for the script, if they are as large as they may be.
const maxUnread = 128 << 20

// maxMade is how many bytes of results of commands may be made, or wait for the script, if they
// are as large as they may be, and maxResults how many.
const (
	maxMade    = 32 << 20
	maxResults = 4
)

func newExecution(ctx context.Context, r *Runner, request Request) *execution {
	e := &execution{runner: r, request: request, program: request.Program, report: newReport(request.id), over: make(chan struct{}), backlog: newBacklog()}
	e.limits = request.Limits.Narrow(r.options.Ceiling)
	if began := request.Began; !began.IsZero() && began.Before(e.report.Started) {
		e.report.Started = began
	}
	e.turns = r.turns.Queue(func(done <-chan struct{}) { e.cell.Room(done) })
	e.called = make(chan struct{}, min(max(maxUnread/max(e.limits.MaxResultBytes, 1), 1), MaxConcurrent))
	e.results = make(chan struct{}, min(max(maxMade/max(e.limits.MaxResultBytes, 1), 1), maxResults))
	e.registry, e.observer = cmp.Or(request.Tools, r.registry), r.options.Observer.and(request.Observer)
	e.outputs = []func(hostapi.CallOutput){r.options.Observer.CallOutput, request.Observer.CallOutput}
	e.report.Tool, e.report.Path, e.report.Digest, e.report.Limits = request.Tool, request.Path, request.Digest, e.limits
	e.journal = logBook{limit: e.limits.MaxOutputBytes, began: e.report.Started, observer: e.observer.Logged}
	e.clock = newClock(ctx, e.report.Started.Add(e.limits.Timeout))
	e.life, e.cancel = context.WithCancelCause(e.clock)
	return e
}

func newReport(id string) *Report { return &Report{Run: id, Started: time.Now()} }

// run does the run.
func (e *execution) run() *Report {
	defer e.clock.free()
	if e.life.Err() != nil {
		return e.settle(e.cancelled())
	}
	switch end, refused := e.checkRules(); {
	case refused != nil:
		e.cancel(refused)
		return e.request.refuse(refused)
	case end.why.external():
		return e.settle(end)
	}
	if err := e.compile(); err != nil {
		return e.settle(e.notCompiled(err))
	}
	e.openGate()
	if err := e.takeCell(); err != nil {
		return e.settle(e.noCell(err))
	}
	end := e.converse()
	e.hurry()
	if end.why.external() {
		e.stop(&end)
	}
	if cpu, known := e.cell.cpu(); known {
		e.report.Usage.CPU = cpu
	}
	peak, over := e.cell.memory(end.dead)
	if over && (end.why == "" || end.why == whyDied) {
		end = ending{why: whyMemory, dead: true}
	}
	e.report.Usage.PeakMemoryBytes = peak
	e.report.Isolation.Cell, e.report.Isolation.Confinement = e.cell.kind()
	e.cell.end(end.clean())
	e.runner.load.running.Add(-1)
	return e.settle(end)
}

// hurry sets how long the run waits for what is still in progress.
func (e *execution) hurry() {
	if e.patience.IsZero() {
		e.patience = time.Now().Add(endGrace)
		if last := e.clock.deadline().Add(endGrace); last.Before(e.patience) {
			e.patience = last
		}
	}
}

// startCell starts the program in a cell.
func (e *execution) startCell() (err error) {
	checked := e.program.checked
	e.cell, err = e.runner.cells.start(e.life, e.program, wire.Start{
		Name: e.program.name, Digest: e.program.key, Source: checked.Source, Map: checked.Map,
		Entry: checked.Entry, CommonJS: checked.CommonJS, Strict: checked.Strict, LineOffset: checked.LineOffset,
		Tools: e.runner.registry.Granted(e.request.Allow), MaxOutputBytes: e.limits.MaxOutputBytes, MaxMemoryBytes: e.limits.MaxMemoryBytes,
		Now: e.request.Now.UTC(), Seed: e.request.Seed,
	}, e.request.Inputs)
	return err
}

// noCell is the ending of a run that got no cell.
func (e *execution) noCell(err error) ending {
	var queue *worker.QueueError
	switch {
	case errors.As(err, &queue):
		return ending{why: whyQueue, cause: err}
	case e.life.Err() != nil:
		end := e.cancelled()
		end.doing = "; it was waiting for a worker"
		return end
	}
	return ending{why: whyProtocol, cause: err}
}

// converse serves the realm until the run ends. It never waits for a tool: other goroutines
// decide and make calls.
func (e *execution) converse() ending {
	e.cell.Watch(e.limits.MaxMemoryBytes)
	defer context.AfterFunc(e.life, e.cell.Interrupt)()
	for {
		if end, over := e.advance(); over {
			return end
		}
	}
}

// advance waits for one frame and receives it; over is true for the last.
func (e *execution) advance() (end ending, over bool) {
	if e.backlog.room(e.life.Done(), e.over) {
		switch f, what := e.cell.Next(e.until()); what { //exhaustive:enforce
		case worker.Arrived:
			if end, over = e.receive(f); over {
				return e.inTime(end), true
			}
		case worker.Wide:
			if end, over = e.admit(); over {
				return end, true
			}
		case worker.Ended:
			return e.died(), true
		case worker.Late, worker.Interrupted: // for one of the reasons below
		}
	}
	select {
	case <-e.over:
		return e.endedBy, true
	default:
	}
	switch {
	case e.late(), e.clock.held.waits() && e.computedAll():
		return e.cancelled(), true
	case e.cell.Over():
		return ending{why: whyMemory}, true
	}
	return ending{}, false
}

// admit lets the cell send a large value when there is room for it.
func (e *execution) admit() (end ending, over bool) {
	if ask := e.request.Room; ask != nil {
		ctx, stop := context.WithCancel(e.life)
		defer stop()
		go func() {
			select {
			case <-e.over:
				stop()
			case <-ctx.Done():
			}
		}()
		if err := ask(ctx, int64(e.cell.WideBytes())); err != nil {
			if !e.late() && ctx.Err() == nil {
				return ending{why: whyCancelled, cause: err}, true
			}
			if !e.late() {
				return ending{}, false // endBy has ended the run
			}
			end = e.cancelled()
			end.doing = "; its value waited for room beside the values of other runs"
			return end, true
		}
	}
	e.cell.Admit()
	return ending{}, false
}

// heldLook is how often the run checks how much its script computes while the clock is held.
const heldLook = time.Second

// until is how long to wait for the next frame.
func (e *execution) until() time.Time {
	if soon := time.Now().Add(heldLook); e.clock.held.waits() && soon.Before(e.clock.deadline()) {
		return soon
	}
	return e.clock.deadline()
}

// computedAll reports whether the script has computed for the run's whole timeout. Holding
// the clock gives no extra time to compute.
func (e *execution) computedAll() bool {
	cpu, known := e.cell.cpu()
	return known && cpu > e.limits.Timeout
}

// late reports whether the run's time is up, or somebody cancelled it.
func (e *execution) late() bool { return e.life.Err() != nil || !time.Now().Before(e.clock.deadline()) }

// inTime returns an ending that the realm reported, unless the run's time was up before.
func (e *execution) inTime(end ending) ending {
	if !end.why.external() && e.late() {
		late := e.cancelled()
		late.finished = true
		return late
	}
	return end
}

// endBy ends the run from another goroutine than that of converse. The first call counts.
func (e *execution) endBy(end ending) {
	e.endOnce.Do(func() {
		e.endedBy = end
		close(e.over)
		e.cell.Interrupt()
	})
}

// died is the ending of a run whose cell is gone.
func (e *execution) died() ending {
	until := time.Now().Add(time.Second) // enough on a loaded machine too
	if end := e.clock.deadline(); end.Before(until) {
		until = end
	}
	if soon := time.Now().Add(dying); until.Before(soon) {
		until = soon
	}
	death := e.cell.death(until)
	switch death.Cause { //exhaustive:enforce
	case worker.OutOfMemory:
		return ending{why: whyMemory, dead: true}
	case worker.OutOfStack:
		return ending{why: whyStack, dead: true}
	case worker.Unknown:
		if e.late() { // then the end of the run is most likely why
			end := e.cancelled()
			end.dead = true
			return end
		}
	}
	return ending{why: whyDied, cause: fmt.Errorf("the worker died: %s", death.Text), dead: true}
}

// cancelled is the ending of a run that was cancelled or whose time is up.
func (e *execution) cancelled() ending { return e.stopped(e.life) }

func (e *execution) stopped(ctx context.Context) ending {
	cause := context.Cause(ctx)
	if cause == nil {
		cause = errDeadline // the context's timer has not fired yet
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return ending{why: whyTimeout, cause: cause}
	}
	return ending{why: whyCancelled, cause: cause}
}

// receive handles one frame; over is true for the last.
func (e *execution) receive(f wire.Frame) (end ending, over bool) {
	var err error
	switch f.Kind {
	case wire.KindCall:
		err = e.call(f)
	case wire.KindOperate:
		err = e.operate(f)
	case wire.KindLog:
		var entry wire.Log
		if err = f.Decode(&entry); err == nil {
			e.journal.add(entry)
		}
	case wire.KindProgress:
		var p wire.Progress
		if err = f.Decode(&p); err == nil {
			observe(e.observer.Progressed, Progress{Done: p.Done, Total: p.Total, Message: p.Message})
		}
	case wire.KindReturn:
		end.returned, end.value = &wire.Return{}, f.Body
		if err = f.Decode(end.returned); err == nil {
			return end, true
		}
	case wire.KindThrow:
		end.thrown = &wire.Throw{}
		if err = f.Decode(end.thrown); err == nil {
			return end, true
		}
	default:
		err = &wire.Error{Msg: "a realm does not send a " + f.Kind.String() + " frame"}
	}
	switch {
	case errors.Is(err, errRefusals):
		return ending{why: whyRefusals}, true
	case err != nil:
		return ending{why: whyProtocol, cause: err}, true
	}
	return ending{}, false
}

// stop asks the realm to end and cancels its calls. If the realm does not stop, it is killed
// or abandoned.
func (e *execution) stop(end *ending) {
	if end.finished {
		return
	}
	if f, err := wire.New(wire.KindStop, struct{}{}, nil); err == nil {
		e.cell.send(f)
	}
	e.cancel(context.Canceled) // the tools stop while the script does
	if end.dead {
		return
	}
	if end.why == whyMemory && e.cell.kill() {
		end.dead = true // there is no time to ask
		return
	}
	for time.Now().Before(e.patience) {
		f, what := e.cell.Next(e.patience)
		if what == worker.Ended || e.cell.Over() && e.cell.kill() {
			end.dead = true
			return
		}
		if what == worker.Wide {
			break // its value is not wanted
		}
		if what != worker.Arrived || f.Kind == wire.KindCall || f.Kind == wire.KindOperate {
			continue // calls after the end are not made
		}
		if last, over := e.receive(f); over {
			end.thrown, end.returned = last.thrown, last.returned
			return
		}
	}
	end.dead = e.cell.kill()
	e.report.Isolation.Abandoned = !end.dead
}
