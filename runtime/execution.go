package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
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

	// life ends with the run. cancel may be called at any time, from anywhere.
	life     context.Context
	cancel   context.CancelCauseFunc
	gate     *hostapi.Gate
	cell     cell
	journal  logBook
	wait     waitClock
	lastSeq  int
	refusals int

	lastOperation int // they count down
	operations    atomic.Int64
}

func newExecution(ctx context.Context, r *Runner, request Request) *execution {
	e := &execution{runner: r, request: request, program: request.Program, report: newReport()}
	e.limits = request.Limits.Narrow(r.options.Ceiling)
	e.report.Tool, e.report.Path, e.report.Digest, e.report.Limits = request.Tool, request.Path, request.Digest, e.limits
	e.journal = logBook{limit: e.limits.MaxOutputBytes, began: e.report.Started, observer: r.options.Observer.Logged}
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
	start, err := e.startFrame()
	if err != nil {
		return e.settle(ending{why: whyProtocol, cause: err})
	}
	e.cell = startInProcess(e.runner.programs, start)
	end := e.converse()
	if end.why.external() {
		e.stop(&end)
	}
	e.cell.abandon()
	return e.settle(end)
}

// startFrame tells the cell what to run. It knows the program, as both are of
// this process; one that was crowded out is added again.
func (e *execution) startFrame() (wire.Frame, error) {
	checked := e.program.checked
	e.runner.programs.Add(e.program.key, checked)
	return wire.New(wire.KindStart, wire.Start{
		Name: e.program.name, Digest: e.program.key,
		Entry: checked.Entry, CommonJS: checked.CommonJS, Strict: checked.Strict, LineOffset: checked.LineOffset,
		MaxOutputBytes: e.limits.MaxOutputBytes,
	}, e.request.Inputs)
}

// converse answers the realm until one of both ends the run.
func (e *execution) converse() ending {
	deadline := time.NewTimer(e.limits.Timeout - time.Since(e.report.Started))
	defer deadline.Stop()
	memory := watchMemory(e.limits.MaxMemoryBytes)
	defer func() { e.report.Usage.PeakMemoryBytes = memory.stop() }()
	for {
		select {
		case f := <-e.cell.frames():
			if end, over := e.receive(f); over {
				return end
			}
		case <-e.life.Done():
			return e.cancelled()
		case <-deadline.C:
			return ending{why: whyTimeout}
		case <-memory.alarm:
			return ending{why: whyMemory}
		}
	}
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
		if err = f.Decode(&p); err == nil && e.runner.options.Observer.Progressed != nil {
			e.runner.options.Observer.Progressed(Progress{Done: p.Done, Total: p.Total, Message: p.Message})
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
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	for {
		select {
		case f := <-e.cell.frames():
			if f.Kind == wire.KindCall || f.Kind == wire.KindOperate {
				continue // it was asked for after the end
			}
			last, over := e.receive(f)
			if over {
				end.thrown, end.returned = last.thrown, last.returned
				return
			}
		case <-grace.C:
			e.report.Isolation.Abandoned = true
			return
		}
	}
}
