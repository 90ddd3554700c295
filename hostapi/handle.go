package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
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
	// such as reading its output so far. It must not block. An operation that
	// there is not, or bad arguments, are an error.
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
	handle Handle
	ended  chan struct{} // closed once result is final
	result Result
}

// handles are those of one run.
type handles struct {
	mu      sync.Mutex
	running int // reserved, or started and not ended
	open    map[int]*started
}

// reserve takes one of the places for what goes on in the background.
func (h *handles) reserve(most int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running >= most {
		return false
	}
	h.running++
	return true
}

func (h *handles) unreserve() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
}

func (h *handles) put(seq int, s *started) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		h.open = map[int]*started{}
	}
	h.open[seq] = s
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

// closeAll closes every handle at once, for at most grace.
func (h *handles) closeAll(grace time.Duration) (closed bool) {
	h.mu.Lock()
	left := h.open
	h.open = nil
	h.mu.Unlock()
	if len(left) == 0 {
		return true
	}
	var closing sync.WaitGroup
	for _, s := range left {
		closing.Go(func() { _ = s.handle.Close() })
	}
	done := make(chan struct{})
	go func() {
		closing.Wait()
		close(done)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// Start begins a call that was issued with [Call.Background]. Its handle is
// reached by the call's number, with [Gate.Operate], until it is released or
// the run ends. The call's row on the ledger stays open until the work ends.
// A result with a failure is work that did not begin. Start may be called once.
func (i *Issued) Start(ctx context.Context) (Result, error) {
	g := i.gate
	if !g.active.enter() {
		g.handles.unreserve()
		return Result{}, i.cancelled(context.Canceled)
	}
	if g.config.Observer.CallStarted != nil {
		g.config.Observer.CallStarted(i.call)
	}
	s := &started{call: i.call, ended: make(chan struct{})}
	var first Result
	s.handle, first = start(g.life, i.tool, i.call) //nolint:contextcheck // it outlives the call
	if s.handle == nil {
		defer g.active.leave()
		g.handles.unreserve()
		return i.settle(first)
	}
	g.handles.put(i.call.Seq, s)
	go func() {
		defer g.active.leave()
		defer close(s.ended)
		s.result = conclude(g.life, s).cap(g.budget.quota.MaxOutputBytes)
		g.handles.unreserve()
		_, _ = i.settle(s.result) // the run's end is the script's to hear of, not this goroutine's
	}()
	return concluded(ctx, i.call, first, nil).cap(g.budget.quota.MaxOutputBytes), ctx.Err()
}

// start is the only caller of [Starter.Start].
func start(ctx context.Context, tool Tool, call Call) (handle Handle, result Result) {
	defer func() {
		if p := recover(); p != nil {
			handle, result = nil, panicked(call, p)
		}
	}()
	handle, result, err := tool.(Starter).Start(ctx, call) // Issue has seen to it that it is one
	if err == nil && handle != nil {
		return handle, result
	}
	return nil, concluded(ctx, call, result, err)
}

// conclude is the only caller of [Handle.Wait].
func conclude(ctx context.Context, s *started) (result Result) {
	defer func() {
		if p := recover(); p != nil {
			result = panicked(s.call, p)
		}
	}()
	result, err := s.handle.Wait(ctx)
	return concluded(ctx, s.call, result, err)
}

// Operate does something with what a call started. It is no call: it is not
// counted and not on the ledger, but what it brings in counts as output. The
// error is a *[NotFoundError], an *[ArgumentError], or that of ctx.
func (g *Gate) Operate(ctx context.Context, handle int, operation string, args json.RawMessage) (Result, error) {
	if !g.active.enter() {
		return Result{}, context.Canceled
	}
	defer g.active.leave()
	ctx, stop := join(ctx, g.life)
	defer stop()
	if operation == OperationRelease {
		if s, ok := g.handles.take(handle); ok {
			if err := s.handle.Close(); err != nil {
				return Fail(err.Error()), nil
			}
		}
		return Succeed(""), nil
	}
	s, err := g.handles.get(handle)
	if err != nil {
		return Result{}, err
	}
	var result Result
	if operation == OperationWait {
		select {
		case <-s.ended:
			result = s.result
		case <-ctx.Done():
			return Result{}, context.Cause(ctx)
		}
	} else if result, err = operate(ctx, s, operation, args); err != nil {
		return Result{}, &ArgumentError{Call: s.call, Err: err}
	}
	return g.pass(result.cap(g.budget.quota.MaxOutputBytes)), nil
}

// operate is the only caller of [Handle.Operate].
func operate(ctx context.Context, s *started, operation string, args json.RawMessage) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = panicked(s.call, p), nil
		}
	}()
	result, err = s.handle.Operate(ctx, operation, args)
	if err != nil {
		return Result{}, err
	}
	return concluded(ctx, s.call, result, nil), nil
}
