package hostapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Observer is told of calls as they happen. Its methods are called from
// several goroutines and must not block. The zero Observer is silent.
type Observer struct {
	CallStarted func(Call)
	CallEnded   func(Record)
}

// GateConfig is what a [Gate] decides with. The zero value refuses every call.
type GateConfig struct {
	// Run is what every call is given as its run.
	Run string
	// Registry holds the tools; nil offers none.
	Registry *Registry
	// Allow is the tool file's list.
	Allow []Rule
	// Narrow holds further lists, each of which must grant a call as well.
	Narrow [][]Rule
	// Quota is what the run may spend.
	Quota Quota
	// Observer is told of what happens.
	Observer Observer
}

// Gate is the one door between a run and the host's tools: allow-list →
// arguments → budget → tool → cap → record. One Gate serves one run; it is
// safe for concurrent use.
type Gate struct {
	config  GateConfig
	budget  budget
	ledger  ledger
	slots   chan struct{}
	handles handles

	life   context.Context // ends when the run does
	end    context.CancelFunc
	active group
}

// NewGate returns the gate of one run. The caller must call [Gate.Close].
func NewGate(ctx context.Context, config GateConfig) *Gate {
	quota := config.Quota.orDefault()
	g := &Gate{config: config, budget: budget{quota: quota}, slots: make(chan struct{}, quota.MaxConcurrent)}
	g.life, g.end = context.WithCancel(ctx)
	return g
}

// Issued is a call that was granted and paid for, and waits to be made.
type Issued struct {
	gate *Gate
	call Call
	tool Tool
	row  int
}

// Issue decides a call, in the order of the script's requests: whoever needs a
// ledger in that order calls Issue in it, and [Issued.Do] wherever it likes.
// A refusal is a *[DeniedError], *[ArgumentError] or *[QuotaError], and is on
// the ledger; nothing ran.
func (g *Gate) Issue(ctx context.Context, call Call) (*Issued, error) {
	if len(call.Args) == 0 {
		call.Args = json.RawMessage("{}")
	}
	call.Run, call.MaxOutputBytes = g.config.Run, g.budget.quota.MaxOutputBytes
	row := Record{
		Seq: call.Seq, Tool: call.Tool, Args: call.Args, Site: call.Site,
		Background: call.Background, Verdict: VerdictDeny, Started: time.Now(),
	}
	tool, plan, rule, err := g.decide(ctx, call)
	call.Plan = plan
	if err == nil || errors.Is(err, ErrInvalidArgs) {
		row.Verdict, row.Rule = VerdictAllow, rule
		if over := g.budget.charge(call); over != nil {
			err = over
		}
	}
	if err == nil && call.Background && !g.handles.reserve(g.budget.quota.MaxBackground) {
		err = &QuotaError{Call: call, Limit: LimitBackground, Max: int64(g.budget.quota.MaxBackground), Asked: int64(g.budget.quota.MaxBackground) + 1}
	}
	if err != nil {
		row.Status, row.Err, row.Code, row.Ended = refusalStatus(err), recordedText(err.Error()), CodeOf(err), time.Now()
		var over *QuotaError
		if errors.As(err, &over) {
			row.Limit = over.Limit
		}
	}
	index, open := g.ledger.add(row)
	if !open {
		if err == nil && call.Background {
			g.handles.unreserve()
		}
		return nil, context.Canceled // the run is over; there is no ledger to be on
	}
	if err != nil {
		g.ended(row)
		return nil, err
	}
	return &Issued{gate: g, call: call, tool: tool, row: index}, nil
}

// Invoke is [Gate.Issue] and [Issued.Do] in one.
func (g *Gate) Invoke(ctx context.Context, call Call) (Result, error) {
	issued, err := g.Issue(ctx, call)
	if err != nil {
		return Result{}, err
	}
	return issued.Do(ctx)
}

// Do waits for a free slot, invokes the tool, caps its result and records it.
// The error is that of ctx or of the run's end; a tool's own failure is a
// Result. Do may be called once.
func (i *Issued) Do(ctx context.Context) (Result, error) {
	g := i.gate
	if !g.active.enter() {
		return Result{}, i.cancelled(context.Canceled)
	}
	defer g.active.leave()
	ctx, stop := join(ctx, g.life)
	defer stop()

	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return Result{}, i.cancelled(context.Cause(ctx))
	}
	if ctx.Err() != nil { // both were ready, and select is fair
		return Result{}, i.cancelled(context.Cause(ctx))
	}
	if g.config.Observer.CallStarted != nil {
		g.config.Observer.CallStarted(i.call)
	}
	call := i.call
	call.Permit = func(ctx context.Context, args json.RawMessage) error {
		other := i.call
		other.Args, other.Plan = args, nil
		_, _, err := g.granted(ctx, i.tool, other)
		return err
	}
	return i.settle(g.pass(invoke(ctx, i.tool, call).cap(g.budget.quota.MaxOutputBytes)))
}

// pass counts what a result brings in, and drops one that there is no room for.
func (g *Gate) pass(result Result) Result {
	if g.budget.spend(result.size()) {
		return result
	}
	return Result{
		Outcome: OutcomeFailed, ExitCode: 1, Truncated: true, Bytes: result.Bytes,
		Output: fmt.Sprintf("the result of %d bytes was dropped: the run's calls have used up %s=%d",
			result.Bytes, LimitTotalBytes, g.budget.quota.MaxTotalBytes),
	}
}

// settle records how the call ended.
func (i *Issued) settle(result Result) (Result, error) {
	row, first := i.gate.ledger.settle(i.row, time.Now(), func(row *Record) {
		row.Status, row.Outcome = resultStatus(result), result.Outcome
		row.ExitCode, row.Signal = result.ExitCode, result.Signal
		row.OutputBytes, row.Truncated = result.Bytes, result.Truncated
		if row.Status != StatusOK {
			row.Err, row.Code = recordedText(result.Output), CodeFailed
		}
		if row.Status == StatusCancelled {
			row.Code = CodeCancelled
		}
	})
	if first {
		i.gate.ended(row)
	}
	if row.Status == StatusCancelled {
		return result, context.Canceled
	}
	return result, nil
}

// Close ends the run's access: calls under way are cancelled, and given grace
// to stop; rows still open then are settled as cancelled. It reports whether
// every tool returned in time. Close may be called more than once.
func (g *Gate) Close(grace time.Duration) (settled bool) {
	g.end()
	settled = g.active.close(grace)
	settled = g.handles.closeAll(grace) && settled
	for _, row := range g.ledger.seal(time.Now(), cancelRow) {
		g.ended(row)
	}
	return settled
}

// Records returns the ledger as it stands, a row a call, in issue order.
func (g *Gate) Records() []Record { return g.ledger.copy() }

// Used returns the calls admitted and the bytes that passed so far.
func (g *Gate) Used() (calls int, bytes int64) { return g.budget.used() }

// decide answers allow-list and arguments; rule is what granted the call, and
// plan what rules with patterns decided on.
func (g *Gate) decide(ctx context.Context, call Call) (tool Tool, plan Plan, rule string, err error) {
	tool, ok := g.config.Registry.Lookup(call.Tool)
	if !ok {
		unknown := &UnknownNameError{Name: call.Tool, Offered: g.config.Registry.Names()}
		unknown.Nearest = Nearest(call.Tool, unknown.Offered)
		return nil, nil, "", &DeniedError{Call: call, Unknown: true,
			Reason: fmt.Sprintf("tool %q is not allowed: %v", call.Tool, unknown)}
	}
	invalid := g.checkArgs(tool, call)
	plan, rule, err = g.granted(ctx, tool, call)
	switch {
	case err != nil && invalid != nil && ruleNames(g.config.Allow, call.Tool):
		return nil, nil, "", invalid // the arguments are why no pattern matched
	case err != nil:
		return nil, nil, "", &DeniedError{Call: call, Reason: err.Error()}
	case invalid != nil:
		return nil, nil, rule, invalid
	}
	return tool, plan, rule, nil
}

// granted asks every list about one plan.
func (g *Gate) granted(ctx context.Context, tool Tool, call Call) (plan Plan, rule string, err error) {
	d := &decision{tool: tool, call: call}
	rule, err = d.grant(ctx, g.config.Allow)
	for _, rules := range g.config.Narrow {
		if err == nil {
			_, err = d.grant(ctx, rules)
		}
	}
	return d.plan, rule, err
}

func (g *Gate) checkArgs(tool Tool, call Call) error {
	if _, ok := tool.(Starter); call.Background && !ok {
		return &ArgumentError{Call: call, Err: errors.New("the tool cannot be started in the background")}
	}
	if trimmed := bytes.TrimLeft(call.Args, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return &ArgumentError{Call: call, Err: errors.New("expected a JSON object")}
	}
	input, err := g.config.Registry.entries[call.Tool].input()
	if err != nil {
		return &ArgumentError{Call: call, Err: fmt.Errorf("the tool's own input schema: %w", err)}
	}
	if err := input.Validate(call.Args); err != nil {
		return &ArgumentError{Call: call, Err: err}
	}
	if c, ok := tool.(Checker); ok {
		if err := c.Check(call.Args); err != nil {
			return &ArgumentError{Call: call, Err: err}
		}
	}
	return nil
}

func (g *Gate) ended(row Record) {
	if g.config.Observer.CallEnded != nil {
		g.config.Observer.CallEnded(row)
	}
}

func (i *Issued) cancelled(cause error) error {
	if row, first := i.gate.ledger.settle(i.row, time.Now(), cancelRow); first {
		i.gate.ended(row)
	}
	return cause
}

func cancelRow(row *Record) {
	row.Status, row.Code, row.Err = StatusCancelled, CodeCancelled, "cancelled: the run ended first"
}

func ruleNames(rules []Rule, name string) bool {
	for _, r := range rules {
		if r.Tool == name {
			return true
		}
	}
	return false
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
