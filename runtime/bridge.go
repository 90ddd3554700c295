package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// openGate makes the run's gate.
func (e *execution) openGate() {
	e.gate = hostapi.NewGate(e.life, hostapi.GateConfig{
		Run: e.report.Run, Registry: e.registry, Policies: e.request.policies(e.runner.options.Policies),
		Approver: cmp.Or(e.request.Approver, e.runner.options.Approver), Hold: e.clock.hold, Around: slices.Concat(e.runner.options.Around, e.request.Around),
		Quota: hostapi.Quota{
			MaxToolCalls: e.limits.MaxToolCalls, RaiseToolCalls: e.raise(hostapi.LimitToolCalls), MaxConcurrent: MaxConcurrent, MaxBackground: cap(e.called), MaxResultBytes: e.limits.MaxResultBytes,
		},
		Observer: hostapi.Observer{CallStarted: e.observer.CallStarted, CallEnded: e.observer.CallEnded},
		Outputs:  e.outputs,
	})
}

// errRefusals ends a run that keeps making calls that are refused: each is a row of the
// ledger, which must not grow without bound.
var errRefusals = errors.New("too many refused calls")

// maxRefusalText bounds the message of a refusal, in bytes.
const maxRefusalText = 8 << 10

// call passes a call of the realm to the gate, in the order of the frames. Another goroutine
// decides and makes it, since a tool may be slow at both.
func (e *execution) call(f wire.Frame) error {
	var head wire.Call
	if err := f.Decode(&head); err != nil {
		return err
	}
	if head.Seq != e.lastSeq+1 {
		return &wire.Error{Msg: fmt.Sprintf("call %d came after call %d", head.Seq, e.lastSeq)}
	}
	e.lastSeq = head.Seq
	call := hostapi.Call{Tool: clip.Head(head.Tool, 2*hostapi.MaxNameBytes), Args: f.Body, Background: head.Background, Part: hostapi.Part(head.Part)}
	if head.TooLarge != 0 {
		call.Args, call.TooLarge = nil, max(head.TooLarge, wire.MaxArguments+1)
	}
	if head.Line > 0 {
		call.Site = e.program.position(head.File, head.Line, head.Col).String()
	}
	asked, open := e.gate.Ask(call)
	if !open {
		return nil // the run is over
	}
	e.rows = append(e.rows, asked.Seq())
	e.wait.begin()
	size := len(f.Body)
	e.backlog.enter(size)
	go e.make(asked, head, size)
	goruntime.Gosched() // let make start: this thread is about to block in the system
	return nil
}

// make decides, makes and answers a call.
func (e *execution) make(asked *hostapi.Asked, head wire.Call, size int) {
	issued, err := asked.Decide(e.life)
	e.backlog.leave(size)
	if err != nil {
		e.wait.end()
		if hostapi.CodeOf(err) != hostapi.CodeCancelled && e.refusals.Add(1) > MaxRefusals {
			e.endBy(ending{why: whyRefusals})
			return
		}
		e.refuse(head.Seq, err)
		return
	}
	if head.Background {
		e.answering(e.life, head.Seq, head.Tool, head.Whole, issued.Start)
		return
	}
	defer e.enter(e.called)()
	ctx, leave := e.waiting()
	defer func() { leave() }()
	e.answering(ctx, head.Seq, head.Tool, head.Whole, issued.Do)
}

// waiting is a context for what waits before it makes its result, see [hostapi.Waited]: it
// takes a place among the results then.
func (e *execution) waiting() (ctx context.Context, leave func()) {
	var place sync.Once
	left := func() {}
	ctx = hostapi.WithWaited(e.life, func() error {
		place.Do(func() { left = e.enter(e.results) })
		return context.Cause(e.life)
	})
	return ctx, func() { left() }
}

// enter waits for a place among the calls or operations whose results the script has yet to
// read, or for the end of the run. The other function leaves it.
func (e *execution) enter(places chan struct{}) (leave func()) {
	select {
	case places <- struct{}{}:
		return func() { <-places }
	case <-e.life.Done():
		return func() {}
	}
}

// maxOperations is how many operations on handles a script may have pending.
const maxOperations = 1000

// maxWaitBytes bounds the arguments of a wait for output that does not count in the backlog.
const maxWaitBytes = 1 << 10

// row returns the ledger's number of the call that the realm numbers seq; 0 if there is
// none. The numbers differ because tools make calls too.
func (e *execution) row(seq int) int {
	if seq < 1 || seq > len(e.rows) {
		return 0
	}
	return e.rows[seq-1]
}

// operate passes an operation on a handle to the gate.
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
	operation, handle := clip.Head(head.Operation, hostapi.MaxNameBytes), e.row(head.Handle)
	e.wait.begin()
	if operation == hostapi.OperationWait || operation == hostapi.OperationRelease {
		f.Body = nil // they take no arguments, and a wait can last as long as the run
	}
	var asked *hostapi.AskedOperation
	if head.TooLarge == 0 {
		asked = e.gate.AskOperation(handle, operation, f.Body)
	}
	size, counts := len(f.Body), asked != nil
	switch operation {
	case hostapi.OperationWait, hostapi.OperationRelease:
		counts = false
	case hostapi.OperationWaitOutput: // likewise
		counts = counts && size > maxWaitBytes
	}
	if counts {
		e.backlog.enter(size)
	}
	go func() {
		ctx := e.life
		switch operation {
		case hostapi.OperationWait, hostapi.OperationWaitOutput: // while nothing comes it holds nothing
			waiting, leave := e.waiting()
			defer leave()
			ctx = waiting
		case hostapi.OperationRelease, hostapi.OperationWrite, "closeInput", "kill", "resize":
			// They bring nothing. Some wait for the command, and kill ends what they wait for.
		default:
			defer e.enter(e.results)()
		}
		e.answering(ctx, head.Seq, operation, false, func(ctx context.Context) (hostapi.Result, error) {
			defer e.operations.Add(-1)
			if counts {
				defer e.backlog.leave(size)
			}
			if asked == nil {
				return hostapi.Result{}, &hostapi.QuotaError{
					Tool: operation, Limit: hostapi.LimitArgsBytes,
					Max: wire.MaxArguments, Asked: max(head.TooLarge, wire.MaxArguments+1),
				}
			}
			return asked.Do(ctx)
		})
	}()
	return nil
}

// answering calls do and answers the script with the result. A result that was cut rejects if
// the script wants it whole.
func (e *execution) answering(ctx context.Context, seq int, name string, whole bool, do func(context.Context) (hostapi.Result, error)) {
	ctx, leave := e.turns.Call(ctx)
	defer leave()
	result, err := do(ctx)
	e.wait.end()
	if err != nil {
		e.refuse(seq, err)
		return
	}
	head := wire.Result{Seq: seq, Failed: result.Outcome != hostapi.OutcomeOK, Throws: result.Throws}
	if head.Failed {
		head.Why = result.Why()
	}
	if whole && result.Truncated && !head.Failed {
		e.parts.Store(seq, true)
		if result.Text != nil {
			result.Output = *result.Text
		}
		what := fmt.Sprintf("take it in parts (offset and limit, or limit and cursor), ask for less, or raise %s, which is %d", e.raise(hostapi.LimitResultBytes), e.limits.MaxResultBytes)
		if result.Cut != "" {
			what = clip.Head(result.Cut, maxRefusalText/2)
		}
		head.Refusal = &wire.Refusal{Code: string(hostapi.CodeTruncated), Message: fmt.Sprintf(
			"the answer of tool %q does not fit; e.output holds what there is of it; %s", name, what)}
	}
	size := len(result.Output) + len(result.Data)
	if result.Text != nil {
		size += len(*result.Text)
	}
	if _, over := hostapi.Turn(ctx, int64(size)); over == nil {
		e.answer(head, resultJSON(name, result))
	}
}

func (e *execution) refuse(seq int, err error) {
	code, text := hostapi.CodeOf(err), err.Error()
	if code == hostapi.CodeCancelled {
		text = "cancelled: the run ended first"
	}
	e.answer(wire.Result{Seq: seq, Refusal: &wire.Refusal{Code: string(code), Message: clip.Head(text, maxRefusalText)}}, nil)
}

// result is what ctx.tool resolves to. It is JSON: the gate has checked data and metadata.
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
	var encoded bytes.Buffer
	to := json.NewEncoder(&encoded)
	to.SetEscapeHTML(false) // six bytes for each "<" are for pages
	_ = to.Encode(out)
	return encoded.Bytes()
}

func (e *execution) answer(head wire.Result, body []byte) {
	f, err := wire.New(wire.KindResult, head, body)
	if err != nil {
		f, err = wire.New(wire.KindResult, wire.Result{Seq: head.Seq, Refusal: &wire.Refusal{
			Code: string(hostapi.CodeTruncated), Message: "the answer is too large to send to the script; take its text or its data alone, or ask for less: " + err.Error()}}, nil)
	}
	if err == nil {
		e.cell.send(f)
	}
}

// waitClock measures the time during which at least one call is pending.
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

// waits reports whether a call is pending.
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
