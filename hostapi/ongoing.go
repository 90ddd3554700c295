package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// maxDepth is how deep tools may call tools.
const maxDepth = 16

// maxNestedRefusals is how many calls that tools of a run make may be refused. Each
// refusal is a row on the ledger.
const maxNestedRefusals = 1000

var errNoGate = errors.New("this call did not come through a gate")

// Hold stops the run's clock until release, or until the call ends. It is for a
// tool that waits for a person.
func (c Call) Hold() (release func()) {
	if c.ongoing == nil {
		return func() {}
	}
	return c.ongoing.hold()
}

// Invoke calls another tool. The call is decided by the same policies and budget as
// the script's, and has a record of its own; it does not wait for a free slot.
// Errors are as for [Gate.Invoke], and an error once the tool has returned.
func (c Call) Invoke(ctx context.Context, tool string, args json.RawMessage) (Result, error) {
	if c.ongoing == nil {
		return Result{}, errNoGate
	}
	return c.ongoing.invoke(ctx, tool, args)
}

// maxLooking is how many calls of a run look at much in the host at once.
const maxLooking = 2

// Look waits for one of the two places of a run for calls that look at much in the host's own
// process, such as a search of files, until leave. It is called before the work; a tool that was
// called by another does not wait, as that may have a place. The error is that of ctx.
func (c Call) Look(ctx context.Context) (leave func(), err error) {
	if c.ongoing == nil || c.Parent != 0 {
		return func() {}, nil
	}
	looking := c.ongoing.issued.gate.looking
	select {
	case looking <- struct{}{}:
		return func() { <-looking }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Permit decides on what the call leads to, such as a redirect, by the rules that
// decided on the call: the same tool with other arguments. The error is a refusal.
func (c Call) Permit(ctx context.Context, args json.RawMessage) error {
	if c.ongoing == nil {
		return errNoGate
	}
	return c.ongoing.issued.permit(ctx, args)
}

// ongoing is what a tool may do until its call ends.
type ongoing struct {
	issued *Issued

	mu    sync.Mutex
	ended bool
	holds []func() // releases each; it may be called more than once
}

// equipped is the call as its tool gets it, until end.
func (i *Issued) equipped() (call Call, end func()) {
	call = i.call
	call.Output = i.gate.outlets.of(call)
	call.ongoing = &ongoing{issued: i}
	return call, call.ongoing.end
}

// end releases what the tool forgot to release: a clock that stays stopped would
// take away the run's deadline.
func (o *ongoing) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	for _, release := range o.holds {
		release()
	}
}

func (o *ongoing) hold() (release func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	hold := o.issued.gate.config.Hold
	if hold == nil || o.ended {
		return func() {}
	}
	release = sync.OnceFunc(hold())
	o.holds = append(o.holds, release)
	return release
}

func (o *ongoing) invoke(ctx context.Context, tool string, args json.RawMessage) (Result, error) {
	if err := o.mayInvoke(tool); err != nil {
		return Result{}, err
	}
	parent := o.issued.call
	ctx, leave := nestedTurn(WithWaited(context.WithValue(ctx, callKey{}, nil), nil)) // which are the parent's
	defer leave()
	issued, err := o.issued.gate.Issue(ctx, Call{Tool: tool, Args: args, Site: parent.Site, Parent: parent.Seq, depth: parent.depth + 1})
	if err != nil {
		o.issued.gate.refused.Add(1)
		return Result{}, err
	}
	return issued.do(ctx)
}

func (o *ongoing) mayInvoke(tool string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	parent := o.issued.call.Seq
	switch {
	case o.ended:
		return fmt.Errorf("call %d has ended and can make no more calls", parent)
	case o.issued.gate.refused.Load() >= maxNestedRefusals:
		return &DeniedError{Reason: fmt.Sprintf("tool %q is not called: %d calls that tools of this run made were refused, and they may make no more", tool, maxNestedRefusals)}
	}
	return nil
}

// tooDeep is why a call that a tool made is refused; nil if it is not.
func tooDeep(call Call) error {
	if call.depth <= maxDepth {
		return nil
	}
	return &DeniedError{Reason: fmt.Sprintf("tool %q is not called: tools call each other more than %d deep", call.Tool, maxDepth)}
}
