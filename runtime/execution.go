package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// The patience of a run that is over.
const (
	stopGrace = 250 * time.Millisecond // for a script that was asked to stop
	toolGrace = 3 * time.Second        // for tools that were cancelled
)

// execution is one run while it lasts.
type execution struct {
	runner  *Runner
	request Request
	program *Program
	limits  Limits
	report  *Report

	registry *hostapi.Registry
	observer Observer

	// life ends with the run. cancel may be called at any time, from anywhere.
	life     context.Context
	cancel   context.CancelCauseFunc
	gate     *hostapi.Gate
	cell     cell
	journal  logBook
	wait     waitClock
	deadline time.Time
	memory   memoryAlarm
	ended    chan ending // how, once
	leader   leadership
	lastSeq  int
	refusals int

	lastOperation int // they count down
	operations    atomic.Int64
}

func newExecution(ctx context.Context, r *Runner, request Request) *execution {
	e := &execution{runner: r, request: request, program: request.Program, report: newReport(), ended: make(chan ending, 1)}
	e.limits = request.Limits.Narrow(r.options.Ceiling)
	e.registry, e.observer = r.offers(request), r.options.Observer.and(request.Observer)
	e.report.Tool, e.report.Path, e.report.Digest, e.report.Limits = request.Tool, request.Path, request.Digest, e.limits
	e.journal = logBook{limit: e.limits.MaxOutputBytes, began: e.report.Started, observer: e.observer.Logged}
	e.life, e.cancel = context.WithCancelCause(ctx)
	return e
}

func newReport() *Report { return &Report{Run: newRunID(), Started: time.Now()} }

// run is the whole of a run, in order.
func (e *execution) run() *Report {
	if e.life.Err() != nil {
		return e.settle(e.cancelled())
	}

	e.openGate()
	if err := e.startCell(); err != nil {
		return e.settle(e.noCell(err))
	}
	end := e.converse()
	if end.why.external() {
		e.stop(&end)
	}
	if cpu, known := e.cell.cpu(); known {
		e.report.Usage.CPU = cpu
	}
	e.report.Isolation.Cell, e.report.Isolation.Confinement = e.cell.kind()
	e.cell.end(end.clean())
	return e.settle(end)
}

// startCell tells a cell what to run. One in process knows the program, unless
// it was crowded out.
func (e *execution) startCell() error {
	checked := e.program.checked
	start := wire.Start{
		Name: e.program.name, Digest: e.program.key,
		Entry: checked.Entry, CommonJS: checked.CommonJS, Strict: checked.Strict, LineOffset: checked.LineOffset,
		MaxOutputBytes: e.limits.MaxOutputBytes,
	}
	var err error
	if e.runner.workers != nil {
		start.MaxMemoryBytes = e.limits.MaxMemoryBytes
		waiting, stop := context.WithDeadline(e.life, e.report.Started.Add(e.limits.Timeout))
		defer stop()
		e.cell, err = startWorker(waiting, e.runner.workers, e.program.key, checked.Source, start, e.request.Inputs)
		return err
	}
	e.runner.programs.Add(e.program.key, checked)
	if !checked.Compiled() {
		start.Source = checked.Source
	}
	f, err := wire.New(wire.KindStart, start, e.request.Inputs)
	if err != nil {
		return err
	}
	e.cell = startInProcess(e.runner.programs, f)
	return nil
}

// noCell is the ending of a run that never began.
func (e *execution) noCell(err error) ending {
	var queue *worker.QueueError
	switch {
	case errors.As(err, &queue):
		return ending{why: whyQueue, cause: err}
	case e.life.Err() != nil:
		return e.cancelled()
	case errors.Is(err, context.DeadlineExceeded):
		return ending{why: whyTimeout, cause: err}
	}
	return ending{why: whyProtocol, cause: err}
}

// died tells what is known of a cell that is gone. One that had about as much
// memory as it may was refused more by the system.
func (e *execution) died(peak int64) ending {
	how := e.cell.death()
	if peak >= e.limits.MaxMemoryBytes/10*9 {
		return ending{why: whyMemory, dead: true}
	}
	return ending{why: whyDied, cause: fmt.Errorf("the worker died: %s", how), dead: true}
}

func (e *execution) cancelled() ending {
	cause := context.Cause(e.life)
	if errors.Is(cause, context.DeadlineExceeded) {
		return ending{why: whyTimeout, cause: cause}
	}
	return ending{why: whyCancelled, cause: cause}
}

// receive takes one frame; over is true for the last.
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
		if err = f.Decode(&p); err == nil && e.observer.Progressed != nil {
			e.observer.Progressed(Progress{Done: p.Done, Total: p.Total, Message: p.Message})
		}
	case wire.KindReturn:
		end.returned, end.value = &wire.Return{}, f.Body
		if err = f.Decode(end.returned); err == nil {
			return e.unlessCancelled(end), true
		}
	case wire.KindThrow:
		end.thrown = &wire.Throw{}
		if err = f.Decode(end.thrown); err == nil {
			return e.unlessCancelled(end), true
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

// unlessCancelled: a cancel beats an ending that comes at the same time.
func (e *execution) unlessCancelled(end ending) ending {
	if e.life.Err() == nil {
		return end
	}
	c := e.cancelled()
	c.finished = true
	return c
}

// stop asks the realm to end, cancels its calls meanwhile, and notes it when
// the realm does not obey.
func (e *execution) stop(end *ending) {
	if end.finished {
		return
	}
	if f, err := wire.New(wire.KindStop, wire.Stop{Reason: string(end.why)}, nil); err == nil {
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
	grace := time.Now().Add(stopGrace)
	for time.Now().Before(grace) {
		f, what := e.cell.next(grace, false)
		if what == worker.Ended {
			end.dead = true
			return
		}
		if what != worker.Arrived || f.Kind == wire.KindCall || f.Kind == wire.KindOperate {
			continue // what is asked for after the end is not done
		}
		if last, over := e.receive(f); over {
			end.thrown, end.returned = last.thrown, last.returned
			return
		}
	}
	end.dead = e.cell.kill()
	e.report.Isolation.Abandoned = !end.dead
}
