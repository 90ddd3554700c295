package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Starter is implemented by tools whose calls can run in the background. A rule
// that grants a call grants starting it.
type Starter interface {
	Tool

	// Start does what Invoke does up to the point where it would wait, and
	// returns a handle to the work. The work, not only Start, ends with ctx.
	// Without a handle, the Result says why the work did not begin.
	//
	// Only a [Gate] calls Start.
	Start(ctx context.Context, call Call) (Handle, Result, error)
}

// Handle is something that a call started. It must be safe for concurrent use.
type Handle interface {
	// Wait waits for the work and returns how it ended. When ctx ends, it ends
	// the work and returns soon after. Only one goroutine waits, but for an [Ender].
	Wait(ctx context.Context) (Result, error)

	// Operate does something with the work, or with what is left of it, such
	// as reading its output so far. It may wait, but returns soon after ctx ends.
	// An unknown operation is an error, and so are bad arguments.
	Operate(ctx context.Context, operation string, args json.RawMessage) (Result, error)

	// Close ends what still runs, and returns when nothing is left. It is called
	// once.
	Close() error
}

// Ender is implemented by handles whose results are costly to make and to keep. Such a result
// is made when the script waits for it, each time.
type Ender interface {
	Handle

	// End waits for the work as Wait does, and returns how it ended, without Output, Text and
	// Data; Bytes and Truncated are those that a result has. It is called once. Of an Ender
	// several goroutines may Wait at once, also before the end, and Wait calls [Waited] before it
	// makes a result. A release ends the context of [Starter.Start]; Close comes once waits that
	// were asked for before it have their results.
	End(ctx context.Context) (Result, error)
}

// The operations on a handle that the [Gate] does itself.
const (
	OperationWait    = "wait"
	OperationRelease = "release"
)

// OperationWaitOutput waits for new output, on handles that support it. It may last
// as long as the run.
const OperationWaitOutput = "waitOutput"

// waited is the key of what [Waited] calls.
type waited struct{}

// WithWaited is a context in which [Waited] calls do; nil is none.
func WithWaited(ctx context.Context, do func() error) context.Context {
	return context.WithValue(ctx, waited{}, do)
}

// Waited is called by a call, a [Handle.Wait] or an operation such as [OperationWaitOutput] that
// has waited, before it makes a large result: it returns once there is room for that. An error
// means that no result is wanted, mostly because the run has ended. Without [WithWaited] it returns nil at
// once.
func Waited(ctx context.Context) error {
	do, _ := ctx.Value(waited{}).(func() error)
	if do == nil {
		return nil
	}
	if err := do(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// OperationWrite gives the work input, on handles that support it. If a person was
// asked about the call, they are asked about each write too.
const OperationWrite = "write"

// NotFoundError is an operation on a handle that never existed or was released.
type NotFoundError struct {
	// Handle is the number of the call.
	Handle int
}

// Error implements error.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no running task %d: it was never started, or it was released", e.Handle)
}

// started is a call in the background.
type started struct {
	call   Call
	row    int
	tool   guarded
	handle Handle
	stop   context.CancelFunc // ends the work
	later  bool               // the handle makes its result when somebody waits for it
	told   Outcome            // of the handle
	ended  chan struct{}      // closed once result is final
	result Result
	err    error
	begun  atomic.Bool
	freed  atomic.Bool   // the script released it
	kept   int64         // what it keeps since it ended, in bytes; handles.mu guards it
	asked  int           // operations that a release lets finish; likewise
	quiet  chan struct{} // closed once they have; nil until it is released
	least  int64         // the size of the smallest result of a wait so far; 0 for none; likewise
}

// handles are all calls in the background of one run.
type handles struct {
	mu      sync.Mutex
	running int   // reserved, or started and not ended
	kept    int64 // what those in open keep that have ended, in bytes
	open    map[int]*started
	closed  bool
}

// reserve takes one of the places in the background.
func (h *handles) reserve(call Call, quota Quota) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch most := int64(quota.MaxBackground); {
	case int64(h.running) >= most:
		return &QuotaError{Tool: call.Tool, Limit: LimitBackground, Max: most, Asked: most + 1}
	case h.kept >= quota.MaxBackgroundBytes:
		return &QuotaError{Tool: call.Tool, Limit: LimitBackgroundBytes, Max: quota.MaxBackgroundBytes, Asked: h.kept}
	}
	h.running++
	return nil
}

func (h *handles) unreserve() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
}

// ended gives the place of s back, and counts what it keeps until it is released.
func (h *handles) ended(s *started, kept int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	if h.open[s.call.Seq] == s {
		s.kept = kept
		h.kept += kept
	}
}

// made remembers the size of a result of a wait, and least is the smallest so far.
func (h *handles) made(s *started, size int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.least == 0 || size < s.least {
		s.least = size
	}
}

func (h *handles) least(s *started) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return s.least
}

// put lets operations find a handle. It is false once the run has ended.
func (h *handles) put(s *started) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	if h.open == nil {
		h.open = map[int]*started{}
	}
	h.open[s.call.Seq] = s
	return true
}

// ask is the handle that an operation is for. A release that is asked for later leaves the handle
// open until done, which may be called more than once.
func (h *handles) ask(seq int, operation string) (s *started, done func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.open[seq]
	switch {
	case !ok:
		return nil, nil, &NotFoundError{Handle: seq}
	case operation == OperationRelease, operation == OperationWrite: // a person may be asked about the latter
		return s, func() {}, nil
	}
	s.asked++
	return s, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.asked--; s.asked == 0 && s.quiet != nil {
			close(s.quiet)
		}
	}), nil
}

// take makes a handle unknown, and reports whether it was known. The channel is closed once the
// operations that were asked for before are done.
func (h *handles) take(seq int) (quiet <-chan struct{}, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, known := h.open[seq]
	if !known {
		return nil, false
	}
	h.kept -= s.kept
	delete(h.open, seq)
	s.quiet = make(chan struct{})
	if s.asked == 0 {
		close(s.quiet)
	}
	return s.quiet, true
}

// closeAll closes every handle once its work has ended, or over is closed. It does
// not wait for that.
func (h *handles) closeAll(g *Gate, over <-chan struct{}) {
	h.mu.Lock()
	left := h.open
	h.open, h.closed = nil, true
	h.mu.Unlock()
	for _, s := range left {
		entry, open := g.inside.enter(s.call)
		go func() {
			if open { // it is not if another Close runs at the same time
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

// Start begins a call with [Call.Background] set. [Gate.Operate] finds its handle by
// the call's number, until it is released or the run ends. The call's row on the
// ledger stays open until the work ends. A failed result means that the work did
// not begin. Start may be called once.
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
		last := g.bounded(concluded(g.life, s.call, result, err), PartAll)
		if s.freed.Load() && last.Outcome == OutcomeCancelled {
			last.Reason = "released: the script ended it"
		}
		s.result, s.err = i.settle(last)
		g.handles.ended(s, last.kept(g.budget.quota.MaxResultBytes))
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

// run starts the work, sends its first result to began, and waits for its end.
func (s *started) run(ctx context.Context, g *Gate, began chan<- Result) (Result, error) {
	if s.begun.Swap(true) {
		return Result{}, errors.New("the work was started before, and is not started again")
	}
	life, stop := context.WithCancel(ctx)
	s.stop = stop
	handle, first, err := s.tool.start(life, s.call)
	if err != nil || handle == nil {
		stop()
		return first, err
	}
	ender, later := handle.(Ender)
	s.handle, s.later = handle, later
	if !g.handles.put(s) { // the run ended first
		defer func() { _ = s.tool.closeHandle(handle) }()
	}
	began <- g.bounded(concluded(ctx, s.call, first, nil), PartAll)
	if !later {
		return s.tool.wait(ctx, handle)
	}
	result, err := s.tool.end(ctx, ender)
	result.Output, result.Text, result.Data = "", nil, nil
	s.told = concluded(ctx, s.call, result, err).Outcome
	return result, err
}
