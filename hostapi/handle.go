package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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

// NotFoundError is a handle that there never was, or that was released.
type NotFoundError struct {
	// Handle is the call that was named.
	Handle int
}

// Error implements error.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("there is nothing to be reached as %d: it was never started, or it was released", e.Handle)
}

// started is a handle, and what the gate knows of it.
type started struct {
	call   Call
	tool   guarded
	handle Handle
	ended  chan struct{} // closed once result is final
	result Result
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
	s := &started{call: i.call, tool: i.tool, ended: make(chan struct{})}
	call := i.call
	call.Output, call.Hold = g.outlets.of(i.call), g.config.Hold
	handle, first, err := i.tool.start(g.life, call) //nolint:contextcheck // it outlives the call
	first = concluded(ctx, i.call, first, err)
	if err != nil || handle == nil {
		defer g.inside.leave(entry)
		g.handles.unreserve()
		return i.settle(first)
	}
	s.handle = handle
	reached := g.handles.put(i.call.Seq, s)
	go func() {
		defer g.inside.leave(entry)
		defer close(s.ended)
		result, err := s.tool.wait(g.life, s.handle)
		g.outlets.ended(s.call)
		s.result = concluded(g.life, s.call, result, err).cap(g.budget.quota.MaxOutputBytes)
		g.handles.unreserve()
		_, _ = i.settle(s.result) // the run's end is the script's to hear of, not this goroutine's
		if !reached {             // the run ended first
			_ = s.tool.closeHandle(s.handle)
		}
	}()
	return first.cap(g.budget.quota.MaxOutputBytes), ctx.Err()
}

// Operate does something with what a call started. It is no call: it is not
// counted and not on the ledger, but its arguments and what it brings in count
// towards [Quota.MaxTotalBytes]. The error is a *[NotFoundError], an
// *[ArgumentError], a *[QuotaError], or that of ctx.
func (g *Gate) Operate(ctx context.Context, handle int, operation string, args json.RawMessage) (Result, error) {
	ctx, stop := join(ctx, g.life)
	defer stop()
	if operation == OperationRelease {
		return g.release(handle)
	}
	s, err := g.handles.get(handle)
	if err != nil {
		return Result{}, err
	}
	if operation == OperationWait {
		select {
		case <-s.ended:
			return g.pass(s.result.cap(g.budget.quota.MaxOutputBytes)), nil
		case <-ctx.Done():
			return Result{}, context.Cause(ctx)
		}
	}
	entry, open := g.inside.enter(s.call)
	if !open {
		return Result{}, context.Canceled
	}
	defer g.inside.leave(entry)
	if len(args) > 0 && !json.Valid(args) {
		return Result{}, &ArgumentError{Call: s.call, Err: errors.New("they are not JSON; expected a JSON object")}
	}
	if over := g.budget.bring(s.call, int64(len(args))); over != nil {
		return Result{}, over
	}
	result, err := s.tool.operate(ctx, s.handle, operation, args)
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		result = Fail(err.Error())
	case err != nil:
		return Result{}, &ArgumentError{Call: s.call, Err: err}
	}
	return g.pass(concluded(ctx, s.call, result, nil).cap(g.budget.quota.MaxOutputBytes)), nil
}

// release closes a handle and forgets it. One that there is not is released
// already.
func (g *Gate) release(handle int) (Result, error) {
	s, ok := g.handles.take(handle)
	if !ok {
		return Succeed(""), nil
	}
	if entry, open := g.inside.enter(s.call); open {
		defer g.inside.leave(entry)
	}
	if err := s.tool.closeHandle(s.handle); err != nil {
		return Fail(err.Error()), nil
	}
	return Succeed(""), nil
}
