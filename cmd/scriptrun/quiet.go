package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/runtime"
)

// quiet finds moments in which no run that may start commands is under way. What a command leaves
// where tools are looked for is put away when it ends; until then it must not be taken for a tool.
// The zero value is quiet.
type quiet struct {
	mu      sync.Mutex
	active  int
	waiting bool          // somebody waits for a moment
	taken   bool          // and somebody has one
	changed chan struct{} // closed at the next change; nil if nobody waits for one
}

const (
	// quietLends is how long a run lets somebody go before it who waits for a moment.
	quietLends = 2 * time.Second
	// quietTells is after how long the one who waits says so.
	quietTells = 5 * time.Second
)

// AroundRun counts a run that may start commands. One that begins while somebody waits for a moment
// lets others end first, for two seconds at most.
func (q *quiet) AroundRun(ctx context.Context, request runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
	commands := func(rule hostapi.Rule) bool { return rule.Tool == "bash" || rule.Tool == "git" }
	if slices.ContainsFunc(request.Allow, commands) && q.enter(ctx) {
		defer q.leave()
	}
	return next(ctx)
}

// enter counts a run; it does not if ctx ends, and with it the run.
func (q *quiet) enter(ctx context.Context) bool {
	lent := time.NewTimer(quietLends)
	defer lent.Stop()
	for late := false; ; {
		q.mu.Lock()
		if !q.taken && (late || !q.waiting) {
			q.active++
			q.mu.Unlock()
			return true
		}
		changed := q.next()
		q.mu.Unlock()
		select {
		case <-changed:
		case <-lent.C:
			late = true
		case <-ctx.Done():
			return false
		}
	}
}

func (q *quiet) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.tell()
}

// whenIdle calls f in a moment, and lets no run that may start commands begin meanwhile. It returns
// without if ctx ends. If it has to wait long, it calls late, with how many runs it waits for. It
// is not for several goroutines at once.
func (q *quiet) whenIdle(ctx context.Context, late func(active int), f func()) {
	told := time.NewTimer(quietTells)
	defer told.Stop()
	q.mu.Lock()
	q.waiting = true
	for q.active > 0 && ctx.Err() == nil {
		changed, active := q.next(), q.active
		q.mu.Unlock()
		select {
		case <-changed:
		case <-told.C:
			late(active)
		case <-ctx.Done():
		}
		q.mu.Lock()
	}
	ended := ctx.Err() != nil
	q.waiting, q.taken = false, !ended
	q.mu.Unlock()
	if !ended {
		f()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = false
	q.tell()
}

// next is closed at the next change. mu is held.
func (q *quiet) next() <-chan struct{} {
	if q.changed == nil {
		q.changed = make(chan struct{})
	}
	return q.changed
}

// tell says that something has changed. mu is held.
func (q *quiet) tell() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}
