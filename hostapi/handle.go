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
	// Data; Bytes and Truncated are those that a result has. It is called once. Of an Ender several goroutines may Wait at once, also before the
	// end, and Wait calls [Waited] before it makes a result.
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
	later  bool          // the handle makes its result when somebody waits for it
	told   Outcome       // of the handle
	ended  chan struct{} // closed once result is final
	result Result
	err    error
	begun  atomic.Bool
	freed  atomic.Bool // the script released it
	kept   int64       // what it keeps since it ended, in bytes; handles.mu guards it
	least  int64       // the size of the smallest result of a wait so far; 0 for none; likewise
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

func (h *handles) get(seq int) (*started, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.open[seq]; ok {
		return s, nil
	}
	return nil, &NotFoundError{Handle: seq}
}

// take makes a handle unknown, and reports whether it was known.
func (h *handles) take(seq int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.open[seq]
	if ok {
		h.kept -= s.kept
		delete(h.open, seq)
	}
	return ok
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
		whole := concluded(g.life, s.call, result, err)
		last := g.bounded(whole, PartAll)
		if s.later && whole.empty() {
			last.Bytes = whole.Bytes // metadata says nothing of what a result will have
		}
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
	handle, first, err := s.tool.start(ctx, s.call)
	if err != nil || handle == nil {
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

// errUsedUp is a result that the run may not get.
var errUsedUp = errors.New("the run's results are used up")

// wait is the result of an Ender. Where those before were larger than what the run may still
// get, none is made, and tooLarge is their size.
func (g *Gate) wait(ctx context.Context, s *started, tooLarge *atomic.Int64) (Result, error) {
	wanted := WithWaited(ctx, func() error {
		if err := Waited(ctx); err != nil {
			return err
		}
		if size := g.handles.least(s); !g.budget.has(size) {
			tooLarge.Store(size)
			return errUsedUp
		}
		return nil
	})
	return s.tool.wait(wanted, s.handle)
}

// await is the result of the work once it has ended, in a context of an operation.
// tooLarge is set as by wait.
func (g *Gate) await(ctx context.Context, s *started, tooLarge *atomic.Int64) (result Result, err error) {
	if s.later {
		result, err = g.wait(ctx, s, tooLarge)
	}
	select {
	case <-s.ended:
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	last := s.result
	switch {
	case !s.later:
		return last, Waited(ctx)
	case !last.empty() || last.Outcome != s.told: // of an Around, or an error
		return last, nil
	case tooLarge.Load() > 0:
		return g.budget.dropped(Result{Bytes: tooLarge.Load()}), nil
	case err != nil && s.freed.Load():
		return Result{}, &NotFoundError{Handle: s.call.Seq}
	}
	result.Outcome, result.Reason = last.Outcome, last.Reason
	return result, err
}

// Operate does something with what a call started. It does not count as a call, and
// is recorded on the row of that call. Its arguments and its result count towards
// [Quota.MaxTotalBytes]. The error is a *[NotFoundError], an *[ArgumentError], a
// *[QuotaError], a *[DeniedError] if a person said no, or that of ctx.
func (g *Gate) Operate(ctx context.Context, handle int, operation string, args json.RawMessage) (Result, error) {
	ctx, stop := join(ctx, g.life)
	defer stop()
	s, err := g.handles.get(handle)
	switch {
	case err != nil && operation == OperationRelease: // it was released before
		return Succeed(""), nil
	case err != nil:
		return Result{}, err
	}
	entry, open := g.inside.enter(s.call)
	if !open {
		return Result{}, context.Canceled
	}
	defer g.inside.leave(entry)
	asked := s.call
	asked.Operation, asked.Args = operation, args
	call := asked
	call.Plan, call.resolution, call.Output, call.ongoing = nil, nil, nil, nil
	row := g.ledger.addOperation(s.row, call)
	var tooLarge atomic.Int64
	result, err := g.surround(ctx, call, func(ctx context.Context) (Result, error) { return g.operate(ctx, s, asked, &tooLarge) })
	if err == nil || ctx.Err() == nil && !refusal(err) { // an Around failed
		if operation != OperationWait || s.later || len(g.config.Around) > 0 { // that was done when the work ended
			result = g.bounded(concluded(ctx, call, result.inTurn(ctx), err), PartAll)
		}
		if operation == OperationWait && s.later && tooLarge.Load() == 0 {
			g.handles.made(s, result.size())
		}
		result, err = g.pass(result), nil
	}
	g.ledger.endOperation(s.row, row, result, err)
	return result, err
}

func (g *Gate) operate(ctx context.Context, s *started, asked Call, tooLarge *atomic.Int64) (Result, error) {
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case asked.Operation == OperationRelease:
		return g.release(s), nil
	case asked.Operation == OperationWait:
		return g.await(ctx, s, tooLarge)
	}
	if len(asked.Args) > 0 && !json.Valid(asked.Args) {
		return Result{}, &ArgumentError{Tool: asked.Tool, Err: errors.New("not JSON; expected a JSON object")}
	}
	if over := g.budget.spend(int64(len(asked.Args)), true); over != nil {
		over.Tool = asked.Tool
		return Result{}, over
	}
	if err := g.approveWrite(ctx, s, asked); err != nil {
		return Result{}, err
	}
	result, err := s.tool.operate(ctx, s.handle, asked.Operation, asked.Args)
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked):
		return Fail(err.Error()), nil
	case err != nil:
		return Result{}, &ArgumentError{Tool: asked.Tool, Err: err}
	}
	return result, nil
}

// release closes a handle, unless that was done before.
func (g *Gate) release(s *started) Result {
	if g.handles.take(s.call.Seq) {
		s.freed.Store(true)
		if err := s.tool.closeHandle(s.handle); err != nil {
			return Fail(err.Error())
		}
	}
	return Succeed("")
}
