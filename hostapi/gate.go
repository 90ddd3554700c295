package hostapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Observer is told of calls as they happen. Its functions are called from several
// goroutines and must not block. Their panics are ignored.
type Observer struct {
	CallStarted func(Call)
	CallEnded   func(Record)
}

// GateConfig is what a [Gate] decides with. The zero value refuses every call.
type GateConfig struct {
	// Run is the run ID put on each call.
	Run string
	// Registry holds the tools; nil offers none.
	Registry *Registry
	// Policies decide on calls, the tool file's [AllowList] first. Without one,
	// every call is denied.
	Policies []Policy
	// Approver asks a person about calls that a policy wants asked about; nil denies
	// them.
	Approver Approver
	// Hold stops the run's clock until release, while a person is asked. It may be nil.
	Hold func() (release func())
	// Around wrap each call and operation, the first outermost.
	Around []Around
	// Quota is what the run may spend.
	Quota Quota
	// Observer is told of what happens.
	Observer Observer
	// Outputs are shown what calls write while they run, in order, each on a goroutine
	// of its own. A slow one delays nothing: once 256 KiB wait for it, more is dropped,
	// and it is told how much. What still waits after the grace of [Gate.Close] is
	// dropped too. Their panics are ignored.
	Outputs []func(CallOutput)
}

// Gate is the one door between a run and the host's tools; see the package's
// documentation for the steps. A Gate serves one run, and is safe for concurrent use.
type Gate struct {
	config  GateConfig
	budget  budget
	ledger  ledger
	slots   chan struct{}
	looking chan struct{} // see [Call.Look]
	handles handles
	outlets outlets

	life   context.Context // ends when the run does
	end    context.CancelFunc
	inside inside

	approvals approvals
	refused   atomic.Int64 // of the calls that tools made

	asking sync.Mutex    // one call is asked for at a time
	turn   chan struct{} // closed once the last call is decided
}

// NewGate returns the gate of one run. The caller must call [Gate.Close].
func NewGate(ctx context.Context, config GateConfig) *Gate {
	quota := config.Quota.orDefault()
	g := &Gate{config: config, budget: budget{quota: quota}, slots: make(chan struct{}, quota.MaxConcurrent), looking: make(chan struct{}, maxLooking), outlets: newOutlets(config.Outputs)}
	g.life, g.end = context.WithCancel(ctx)
	return g
}

// Close cancels the calls that run, and gives them grace to stop. Then rows still
// open are settled as cancelled. It returns the calls whose tools have not returned,
// if any; they run on until they end, see [Gate.Settled]. Close may be called more
// than once.
func (g *Gate) Close(grace time.Duration) []Unsettled {
	g.end()
	over := make(chan struct{})
	defer close(over)
	g.handles.closeAll(g, over)
	idle := g.inside.close()
	late := make(chan struct{})
	timer := time.AfterFunc(grace, func() { close(late) })
	defer timer.Stop()
	var left []Unsettled
	select {
	case <-idle:
	case <-late:
		left = g.inside.left()
	}
	g.outlets.close(late)
	for _, row := range g.ledger.seal(time.Now(), cancelRow) {
		g.ended(row)
	}
	return left
}

// Settled is closed once the gate is closed and every tool has returned.
func (g *Gate) Settled() <-chan struct{} { return g.inside.close() }

// Records returns the ledger so far, in the order the calls were asked for.
func (g *Gate) Records() []Record { return g.ledger.copy() }

// Used returns the calls charged so far, and the bytes of the arguments of calls and operations.
func (g *Gate) Used() (calls int, args int64) { return g.budget.used() }

// decide asks the policies, and checks the arguments.
func (g *Gate) decide(ctx context.Context, call *Call) (tool guarded, d Decision, err error) {
	if err := tooDeep(*call); err != nil {
		return guarded{}, d, err
	}
	if call.Tool == ToolApprove {
		return g.decideQuestion(*call)
	}
	tool, ok := g.config.Registry.guarded(call.Tool)
	if !ok {
		return guarded{}, d, &DeniedError{Unknown: true,
			Reason: fmt.Sprintf("tool %q is not allowed: %v", call.Tool, g.config.Registry.unknown(call.Tool))}
	}
	call.resolution = &resolution{tool: tool}
	if unread := unreadable(*call); unread != nil { // the tool never sees it
		if !g.mayAllow(call.Tool) {
			return guarded{}, d, &DeniedError{Reason: notListed(call.Tool, g.firstList())}
		}
		return guarded{}, Decision{Verdict: VerdictAllow, Rule: g.firstList().bare(call.Tool)}, unread
	}
	call.Args = g.config.Registry.entries[call.Tool].renamed(call.Args)
	invalid := g.checkArgs(tool, *call)
	d, call.Scoped = g.judge(ctx, *call)
	switch {
	case d.Verdict != VerdictAllow && d.Verdict != VerdictAsk:
		if invalid != nil && ruleNames(g.firstList(), call.Tool) {
			return guarded{}, d, invalid // so no pattern could match
		}
		return guarded{}, d, &DeniedError{Reason: d.Reason}
	case invalid != nil:
		return guarded{}, d, invalid
	}
	if d.Verdict == VerdictAsk { // what a person approves is what runs
		if _, err := call.Resolve(ctx); ctx.Err() != nil {
			return guarded{}, d, err
		}
	}
	call.Plan = call.resolution.planned()
	return tool, d, nil
}

// firstList is the tool file's allow-list.
func (g *Gate) firstList() AllowList {
	for _, policy := range g.config.Policies {
		if list, ok := policy.(AllowList); ok {
			return list
		}
	}
	return nil
}

// bare is the rule that grants every call of a tool; the zero Rule if there is none.
func (l AllowList) bare(tool string) Rule {
	if i := slices.IndexFunc(l, func(r Rule) bool { return r.Tool == tool && r.Pattern == "" }); i >= 0 {
		return l[i]
	}
	return Rule{}
}

// mayAllow reports whether every allow-list has a rule for a tool.
func (g *Gate) mayAllow(tool string) bool {
	for _, policy := range g.config.Policies {
		if list, ok := policy.(AllowList); ok && !ruleNames(list, tool) {
			return false
		}
	}
	return len(g.config.Policies) > 0
}

// unreadable is why the arguments of a call cannot be read; nil if they can.
func unreadable(call Call) error {
	switch {
	case call.TooLarge > 0:
		return &ArgumentError{Tool: call.Tool, Err: fmt.Errorf("%d bytes are too many", call.TooLarge)}
	case !json.Valid(call.Args):
		return &ArgumentError{Tool: call.Tool, Err: errors.New("not JSON; expected a JSON object")}
	}
	return nil
}

func (g *Gate) checkArgs(tool guarded, call Call) error {
	if _, ok := tool.starter(); call.Background && !ok {
		return &ArgumentError{Tool: call.Tool, Err: errors.New("the tool cannot be started in the background")}
	}
	if trimmed := bytes.TrimLeft(call.Args, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return &ArgumentError{Tool: call.Tool, Err: errors.New("expected a JSON object")}
	}
	input, err := g.config.Registry.entries[call.Tool].input()
	if err != nil {
		return &ArgumentError{Tool: call.Tool, Err: fmt.Errorf("the tool's own input schema: %w", err)}
	}
	if err := input.Validate(call.Args); err != nil {
		return &ArgumentError{Tool: call.Tool, Err: err}
	}
	if err := tool.check(call.Args); err != nil {
		return &ArgumentError{Tool: call.Tool, Err: err}
	}
	return nil
}

func (g *Gate) ended(row Record) { observe(g.config.Observer.CallEnded, row) }

func (g *Gate) cancelled(row int, cause error) error {
	if row, first := g.ledger.settle(row, time.Now(), cancelRow); first {
		g.ended(row)
	}
	return cause
}

func cancelRow(row *Record) {
	row.Status, row.Code, row.Err = StatusCancelled, CodeCancelled, "cancelled: the run ended first"
}

func ruleNames(rules []Rule, name string) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.Tool == name })
}

func refusalStatus(err error) Status {
	switch {
	case errors.Is(err, ErrOverLimit):
		return StatusOverLimit
	case errors.Is(err, ErrInvalidArgs):
		return StatusFailed
	}
	return StatusDenied
}

func resultStatus(r Result) Status {
	switch r.Outcome {
	case OutcomeOK:
		return StatusOK
	case OutcomeCancelled:
		return StatusCancelled
	}
	return StatusFailed
}
