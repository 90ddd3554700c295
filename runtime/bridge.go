package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// openGate makes the one door of the run.
func (e *execution) openGate() {
	e.gate = hostapi.NewGate(e.life, hostapi.GateConfig{
		Run: e.report.Run, Registry: e.registry, Allow: e.request.Allow, Narrow: e.request.Narrow,
		Quota: hostapi.Quota{
			MaxToolCalls: e.limits.MaxToolCalls, MaxConcurrent: MaxConcurrent, MaxOutputBytes: e.limits.MaxOutputBytes,
		},
		Observer: hostapi.Observer{CallStarted: e.observer.CallStarted, CallEnded: e.observer.CallEnded},
	})
}

// errRefusals ends a run that goes on asking for what it is not given: each
// time is a row of the ledger, which must not grow without end.
var errRefusals = errors.New("too many refused calls")

// maxRefusalText is how much of a refusal a script is told.
const maxRefusalText = 8 << 10

// call takes a call of the realm to the gate. It is decided here, in the order
// of the frames, and made later.
func (e *execution) call(f wire.Frame) error {
	var head wire.Call
	if err := f.Decode(&head); err != nil {
		return err
	}
	if head.Seq != e.lastSeq+1 {
		return &wire.Error{Msg: fmt.Sprintf("call %d came after call %d", head.Seq, e.lastSeq)}
	}
	e.lastSeq = head.Seq
	call := hostapi.Call{Seq: head.Seq, Tool: hostapi.CutHead(head.Tool, 2*hostapi.MaxNameBytes), Args: arguments(f.Body), Background: head.Background}
	if head.Line > 0 {
		call.Site = e.program.position(head.Line, head.Col).String()
	}
	issued, err := e.gate.Issue(e.life, call)
	if err != nil {
		if e.refusals++; e.refusals > MaxRefusals {
			return errRefusals
		}
		e.refuse(head.Seq, err)
		return nil
	}
	do := issued.Do
	if head.Background {
		do = issued.Start
	}
	e.leader.received = &task{tool: head.Tool, do: e.answering(head.Seq, head.Tool, do)}
	return nil
}

// maxOperations bounds what a script may have under way on its handles.
const maxOperations = 1000

// operate takes an operation on a handle to the gate.
func (e *execution) operate(f wire.Frame) error {
	var head wire.Operate
	if err := f.Decode(&head); err != nil {
		return err
	}
	if head.Seq != e.lastOperation-1 {
		return &wire.Error{Msg: fmt.Sprintf("operation %d came after operation %d", head.Seq, e.lastOperation)}
	}
	e.lastOperation = head.Seq
	if e.operations.Load() >= maxOperations {
		return errRefusals
	}
	e.operations.Add(1)
	operation := hostapi.CutHead(head.Operation, hostapi.MaxNameBytes)
	e.leader.received = &task{do: e.answering(head.Seq, operation, func(ctx context.Context) (hostapi.Result, error) {
		defer e.operations.Add(-1)
		return e.gate.Operate(ctx, head.Handle, operation, arguments(f.Body))
	})}
	return nil
}

// answering does what may take its time, and answers. The script waits for it
// from now on.
func (e *execution) answering(seq int, name string, do func(context.Context) (hostapi.Result, error)) func() {
	e.wait.begin()
	return func() {
		result, err := do(e.life)
		e.wait.end()
		if err != nil {
			e.refuse(seq, err)
			return
		}
		e.answer(wire.Result{Seq: seq, Failed: result.Outcome != hostapi.OutcomeOK, Throws: result.Throws}, resultJSON(name, result))
	}
}

func (e *execution) refuse(seq int, err error) {
	code, text := hostapi.CodeOf(err), err.Error()
	if code == hostapi.CodeCancelled {
		text = "cancelled: the run ended first"
	}
	e.answer(wire.Result{Seq: seq, Refusal: &wire.Refusal{Code: string(code), Message: hostapi.CutHead(text, maxRefusalText)}}, nil)
}

// arguments makes sure that what goes on the ledger is JSON: a script can put
// anything in place of its JSON.stringify.
func arguments(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	text, _ := json.Marshal(string(body)) // a string always encodes; the gate refuses it
	return text
}

// result is what ctx.tool resolves to.
type result struct {
	Name      string          `json:"name"`
	Output    string          `json:"output"`
	Text      *string         `json:"text"`
	ExitCode  int             `json:"exitCode"`
	Data      json.RawMessage `json:"data"`
	Metadata  json.RawMessage `json:"metadata"`
	Truncated bool            `json:"truncated"`
}

func resultJSON(tool string, r hostapi.Result) []byte {
	out := result{Name: tool, Output: r.Output, Text: r.Text, ExitCode: r.ExitCode, Data: r.Data, Metadata: r.Metadata, Truncated: r.Truncated}
	if len(r.Data) == 0 {
		out.Data = json.RawMessage("null")
	}
	if len(r.Metadata) == 0 {
		out.Metadata = json.RawMessage("null")
	}
	encoded, err := json.Marshal(out)
	if err != nil { // the gate has seen to it that data and metadata are JSON
		encoded, _ = json.Marshal(result{Name: tool, Output: err.Error(), ExitCode: 1})
	}
	return encoded
}

func (e *execution) answer(head wire.Result, body []byte) {
	f, err := wire.New(wire.KindResult, head, body)
	if err != nil {
		f, err = wire.New(wire.KindResult, wire.Result{Seq: head.Seq, Refusal: &wire.Refusal{
			Code: string(hostapi.CodeFailed), Message: "the result cannot be passed on: " + err.Error()}}, nil)
	}
	if err == nil {
		e.cell.send(f)
	}
}

// waitClock adds up the time during which at least one call is under way.
type waitClock struct {
	mu    sync.Mutex
	open  int
	since time.Time
	total time.Duration
}

func (w *waitClock) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == 0 {
		w.since = time.Now()
	}
	w.open++
}

func (w *waitClock) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open--; w.open == 0 {
		w.total += time.Since(w.since)
	}
}

// waits reports whether a call is under way.
func (w *waitClock) waits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open > 0
}

func (w *waitClock) read() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open > 0 {
		return w.total + time.Since(w.since)
	}
	return w.total
}
