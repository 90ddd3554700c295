package main

import (
	"context"
	"sync"

	"github.com/scriptrun/scriptrun/runtime"
)

// quiet finds moments in which no run is under way. What a command leaves where tools are looked for
// is put away when it ends; until then it must not be taken for a tool. The zero value is quiet.
type quiet struct {
	mu     sync.Mutex
	active int
	over   chan struct{} // closed when no run is active; nil if nobody waits
}

// AroundRun counts a run. It begins after what is done in a quiet moment.
func (q *quiet) AroundRun(ctx context.Context, _ runtime.Request, next func(context.Context) *runtime.Report) *runtime.Report {
	q.mu.Lock()
	q.active++
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.active--; q.active == 0 && q.over != nil {
			close(q.over)
			q.over = nil
		}
	}()
	return next(ctx)
}

// do calls f when no run is active, and lets none begin meanwhile. It returns without if ctx ends.
func (q *quiet) do(ctx context.Context, f func()) {
	for ctx.Err() == nil {
		q.mu.Lock()
		if q.active == 0 {
			defer q.mu.Unlock()
			f()
			return
		}
		if q.over == nil {
			q.over = make(chan struct{})
		}
		over := q.over
		q.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
		}
	}
}
