package runtime

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// within calls do on another goroutine and waits for it until ctx ends. If do has not
// returned by then, done is false, do continues, and Close waits for it a while.
func within[T any](ctx context.Context, r *Runner, do func() T) (result T, done bool) {
	made, ended := make(chan T, 1), make(chan struct{})
	go func() {
		defer close(ended)
		made <- do()
	}()
	select {
	case result = <-made:
		return result, true
	case <-ctx.Done():
		r.leaves(ended)
		return result, false
	}
}

// checkRules asks the tools whether the patterns of the run's rules are valid; they may be
// slow. refused is the error of a rule.
func (e *execution) checkRules() (end ending, refused error) {
	patterns, policies := false, e.request.policies(nil)
	_ = eachRule(policies, func(r hostapi.Rule) error { // which never fails
		patterns = patterns || r.Pattern != ""
		return nil
	})
	if !patterns {
		return ending{}, eachRule(policies, e.registry.CheckRule)
	}
	var asked atomic.Value // the tool of the rule that is checked
	made, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		made <- eachRule(policies, func(r hostapi.Rule) error {
			asked.Store(r.Tool)
			return e.registry.CheckRule(r)
		})
	}()
	select {
	case refused = <-made:
		return ending{}, refused
	case <-e.life.Done():
	}
	e.hurry()
	timer := time.NewTimer(time.Until(e.patience))
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		e.runner.leaves(ended)
		tool, _ := asked.Load().(string)
		e.report.Isolation.UnsettledTools = []hostapi.Unsettled{{Tool: tool}}
	}
	end = e.cancelled()
	end.doing = "; a tool was checking the pattern of a rule"
	return end, nil
}

// closeGrace is how long [Runner.Close] waits for what runs left behind.
const closeGrace = 10 * time.Second

// leaves registers work that continues after its run.
func (r *Runner) leaves(ended <-chan struct{}) {
	select {
	case <-ended:
		return
	default:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left := make([]<-chan struct{}, 0, len(r.left)+1)
	for _, other := range r.left { // without those that have ended
		select {
		case <-other:
		default:
			left = append(left, other)
		}
	}
	left = append(left, ended)
	r.left = left
}

// awaitLeft waits a while for what runs left behind.
func (r *Runner) awaitLeft() {
	r.mu.Lock()
	left := r.left
	r.mu.Unlock()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	for _, ended := range left {
		select {
		case <-ended:
		case <-timer.C:
			return
		}
	}
}
