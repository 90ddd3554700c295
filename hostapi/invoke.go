package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// invoke is the only caller of [Tool.Invoke].
func invoke(ctx context.Context, tool Tool, call Call) (result Result) {
	defer func() {
		if p := recover(); p != nil {
			result = panicked(call, p)
		}
	}()
	result, err := tool.Invoke(ctx, call)
	return concluded(ctx, call, result, err)
}

// panicked is a tool's panic: its failure, not the host's.
func panicked(call Call, cause any) Result {
	return Fail(fmt.Sprintf("tool %q panicked: %v; this is a bug of the tool", call.Tool, cause))
}

// concluded is what a tool answered, with everything in it that must be.
func concluded(ctx context.Context, call Call, result Result, err error) Result {
	switch {
	case err != nil && ctx.Err() != nil:
		result = Result{Outcome: OutcomeCancelled, ExitCode: -1, Output: "cancelled: the run ended first"}
	case err != nil:
		result = Fail(err.Error())
	}
	for name, part := range map[string]json.RawMessage{"data": result.Data, "metadata": result.Metadata} {
		if len(part) > 0 && !json.Valid(part) {
			return Fail(fmt.Sprintf("tool %q answered with %s that is not JSON; this is a bug of the tool", call.Tool, name))
		}
	}
	if result.Outcome == "" {
		result.Outcome = OutcomeOK
		if result.ExitCode != 0 {
			result.Outcome = OutcomeFailed
		}
	}
	return result
}

// join is a context that ends with either of two.
func join(ctx, other context.Context) (context.Context, context.CancelFunc) {
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return joined, func() { stop(); cancel(context.Canceled) }
}

// group counts what is under way and can be closed to newcomers.
type group struct {
	mu     sync.Mutex
	count  int
	closed bool
	idle   chan struct{}
}

func (g *group) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.count++
	return true
}

func (g *group) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count--
	if g.count == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// close refuses newcomers and waits for those inside, at most grace.
func (g *group) close(grace time.Duration) bool {
	g.mu.Lock()
	g.closed = true
	if g.count == 0 {
		g.mu.Unlock()
		return true
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	idle := g.idle
	g.mu.Unlock()

	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
		return false
	}
}
