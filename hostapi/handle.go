package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Starter is implemented by tools whose calls can leave something running. A
// rule that grants a call grants starting it.
type Starter interface {
	Tool

	// Start does what Invoke does up to the point where it would wait, and
	// returns what then goes on. ctx is the life of that, not of Start alone.
	// A Result with a failure, and no handle, is work that did not begin.
	//
	// Only a [Gate] calls Start.
	Start(ctx context.Context, call Call) (Handle, Result, error)
}

// Handle is something that a call started. It must be safe for concurrent use.
type Handle interface {
	// Wait returns how it ended, once it has; when ctx ends it ends the work
	// and returns soon after. Only one goroutine waits.
	Wait(ctx context.Context) (Result, error)

	// Operate does something with what goes on, or with what is left of it,
	// such as reading its output so far. It may wait, and then returns soon after
	// ctx ends. An operation that there is not, or bad arguments, are an error.
	Operate(ctx context.Context, operation string, args json.RawMessage) (Result, error)

	// Close ends what still runs and forgets it. It returns when nothing is
	// left. It is called once.
	Close() error
}

// The operations on a handle that the [Gate] does itself.
const (
	OperationWait    = "wait"
	OperationRelease = "release"
)

// OperationWaitOutput is the operation that waits for something new to be seen,
// of handles that have one. It may last as long as the run.
const OperationWaitOutput = "waitOutput"

// OperationWrite is the operation that gives the work something to read, of handles that
// have one. Where a person was asked about the call, each is asked about, too.
const OperationWrite = "write"

// NotFoundError is a handle that there never was, or that was released.
type NotFoundError struct {
	// Handle is the call that was named.
	Handle int
}

// Error implements error.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no running task %d: it was never started, or it was released", e.Handle)
}

// started is a handle, and what the gate knows of it.
type started struct {
	call   Call
	row    int
	tool   guarded
	handle Handle
	ended  chan struct{} // closed once result is final
	result Result
	err    error
	begun  atomic.Bool
}

// handles are those of one run.
type handles struct {
	mu      sync.Mutex
	running int // reserved, or started and not ended
	open    map[int]*started
	closed  bool
}

// reserve takes one of the places for what goes on in the background.
func (h *handles) reserve(call Call, most int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running >= most {
		return &QuotaError{Call: call, Limit: LimitBackground, Max: int64(most), Asked: int64(most) + 1}
	}
	h.running++
	return nil
}

func (h *handles) unreserve() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
}

// put makes a handle one that can be reached. It reports false once all were
// closed.
func (h *handles) put(seq int, s *started) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	if h.open == nil {
		h.open = map[int]*started{}
	}
	h.open[seq] = s
	return true
}

func (h *handles) get(seq int) (*started, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.open[seq]; ok {
		return s, nil
	}
	return nil, &NotFoundError{Handle: seq}
}

func (h *handles) take(seq int) (s *started, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok = h.open[seq]
	delete(h.open, seq)
	return s, ok
}

// closeAll has every handle closed, at the latest when over is: one whose work
// ends by itself when the run does is given the time. It does not wait.
func (h *handles) closeAll(g *Gate, over <-chan struct{}) {
	h.mu.Lock()
	left := h.open
	h.open, h.closed = nil, true
	h.mu.Unlock()
	for _, s := range left {
		entry, open := g.inside.enter(s.call)
		go func() {
			if open { // as it is, but for a second Close at the same time
				defer g.inside.leave(entry)
			}
			select {
			case <-s.ended:
			case <-over:
			}
			_ = s.tool.closeHandle(s.handle)
		}()
	}
}

// Start begins a call that was issued with [Call.Background]. Its handle is
// reached by the call's number, with [Gate.Operate], until it is released or
// the run ends. The call's row on the ledger stays open until the work ends.
// A result with a failure is work that did not begin. Start may be called once.
func (i *Issued) Start(ctx context.Context) (Result, error) {
	g := i.gate
	entry, open := g.inside.enter(i.call)
	if !open {
		g.handles.unreserve()
		return Result{}, g.cancelled(i.row, context.Canceled)
	}
	observe(g.config.Observer.CallStarted, i.call)
	call, end := i.equipped()
	s := &started{call: call, row: i.row, tool: i.tool, ended: make(chan struct{})}
	began := make(chan Result, 1)
	go func() { //nolint:contextcheck // it outlives the call
		defer g.inside.leave(entry)
		defer close(s.ended)
		defer end()
		result, err := g.surround(g.life, s.call, func(ctx context.Context) (Result, error) { return s.run(ctx, g, began) })
		g.outlets.ended(s.call)
		g.handles.unreserve()
		s.result, s.err = i.settle(concluded(g.life, s.call, result, err).cap(g.budget.quota.MaxOutputBytes))
	}()
	select {
	case first := <-began:
		return first, ctx.Err()
	case <-s.ended:
	}
	select {
	case first := <-began: // it has begun, and has ended since
		return first, ctx.Err()
	default:
		return s.result, s.err
	}
}

// run starts the work, says in began what is known of it at first, and waits for its
// end.
func (s *started) run(ctx context.Context, g *Gate, began chan<- Result) (Result, error) {
	if s.begun.Load() {
		return Result{}, errors.New("the work was started before, and is not started again")
	}
	handle, first, err := s.tool.start(ctx, s.call)
	if err != nil || handle == nil {
		return first, err
	}
	if s.begun.Swap(true) {
		return Result{}, errors.Join(errors.New("the work was started twice at once"), s.tool.closeHandle(handle))
	}
	s.handle = handle
	if !g.handles.put(s.call.Seq, s) { // the run ended first
		defer func() { _ = s.tool.closeHandle(handle) }()
	}
	began <- concluded(ctx, s.call, first, nil).cap(g.budget.quota.MaxOutputBytes)
	return s.tool.wait(ctx, handle)
}

// Operate does something with what a call started. It is no call: it is not counted,
// and is on the row of the call that it is about, but its arguments and what it
// brings in count towards [Quota.MaxTotalBytes]. The error is a *[NotFoundError], an
// *[ArgumentError], a *[QuotaError], a *[DeniedError] where a person said no, or that of
// ctx.
func (g *Gate) Operate(ctx context.Context, handle int, operation string, args json.RawMessage) (Result, error) {
	ctx, stop := join(ctx, g.life)
	defer stop()
	s, err := g.handles.get(handle)
	switch {
	case err != nil && operation == OperationRelease: // it is released already
		return Succeed(""), nil
	case err != nil:
		return Result{}, err
	}
	entry, open := g.inside.enter(s.call)
	if !open {
		return Result{}, context.Canceled
	}
	defer g.inside.leave(entry)
	call := s.call
	call.Operation, call.Args = operation, args
	call.Plan, call.resolution, call.Output, call.Invoke = nil, nil, nil, nil
	row := g.ledger.operates(s.row, call)
	result, err := g.surround(ctx, call, func(ctx context.Context) (Result, error) { return g.operate(ctx, s, operation, args) })
	if err == nil || ctx.Err() == nil && !refusal(err) { // what is around failed
		result, err = g.pass(concluded(ctx, call, result, err).cap(g.budget.quota.MaxOutputBytes)), nil
	}
	g.ledger.operated(s.row, row, result, err)
	return result, err
}

func (g *Gate) operate(ctx context.Context, s *started, operation string, args json.RawMessage) (Result, error) {
	switch operation {
	case OperationRelease:
		return g.release(s), nil
	case OperationWait:
		select {
		case <-s.ended:
			return s.result, nil
		case <-ctx.Done():
			return Result{}, context.Cause(ctx)
		}
	}
	if len(args) > 0 && !json.Valid(args) {
		return Result{}, &ArgumentError{Call: s.call, Err: errors.New("they are not JSON; expected a JSON object")}
	}
	if over := g.budget.bring(s.call, int64(len(args))); over != nil {
		return Result{}, over
	}
	asked := s.call
	asked.Operation, asked.Args = operation, args
	if err := g.approveWrite(ctx, s, asked); err != nil {
		return Result{}, err
	}
	result, err := s.tool.operate(ctx, s.handle, operation, args)
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		return Fail(err.Error()), nil
	case err != nil:
		return Result{}, &ArgumentError{Call: s.call, Err: err}
	}
	return result, nil
}

// release closes a handle and forgets it. One that there is not is released
// already.
func (g *Gate) release(s *started) Result {
	if _, ok := g.handles.take(s.call.Seq); !ok {
		return Succeed("")
	}
	if err := s.tool.closeHandle(s.handle); err != nil {
		return Fail(err.Error())
	}
	return Succeed("")
}
