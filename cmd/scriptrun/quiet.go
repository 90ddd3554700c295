package main

import (
	"context"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// quiet finds moments in which no command is under way. What one leaves where tools are looked for
// is put away when it ends; until then it must not be taken for a tool. The zero value is quiet.
type quiet struct {
	mu      sync.Mutex
	active  int
	until   time.Time     // so long commands let somebody go before them who waits for a moment
	lent    time.Time     // when they did so last
	taken   bool          // somebody has a moment
	changed chan struct{} // closed at the next change; nil if nobody waits for one
}

const (
	// quietLends is how long commands let somebody go before them who waits for a moment, and
	// quietRests how long they do not after that.
	quietLends = 500 * time.Millisecond
	quietRests = time.Minute
	// quietLooks is how often the one who waits is called meanwhile.
	quietLooks = time.Second
)

// Around counts calls that start commands, until the last of their processes has ended, which may be
// after the end of their run. Where somebody waits for a moment, one that begins may wait shortly too,
// so that commands which overlap leave one.
func (q *quiet) Around(ctx context.Context, call hostapi.Call, next hostapi.Next) (hostapi.Result, error) {
	if call.Refused != nil || call.Tool != "bash" && call.Tool != "git" {
		return next(ctx)
	}
	if err := q.enter(ctx); err != nil {
		return hostapi.Result{}, err
	}
	defer q.leave()
	return next(ctx)
}

// enter counts a command, unless ctx ends before it may begin.
func (q *quiet) enter(ctx context.Context) error {
	for {
		q.mu.Lock()
		wait := time.Until(q.until)
		if !q.taken && wait <= 0 {
			q.active++
			q.mu.Unlock()
			return nil
		}
		changed := q.next()
		q.mu.Unlock()
		if err := await(ctx, changed, wait); err != nil {
			return err
		}
	}
}

// await waits for a change, and if wait is positive no longer than that. The error is that of ctx.
func await(ctx context.Context, changed <-chan struct{}, wait time.Duration) error {
	var over <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

func (q *quiet) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.tell()
}

// whenIdle calls f in a moment, and lets no command begin meanwhile. It returns without if ctx ends.
// While it waits it calls meanwhile every second, with how many commands it waits for. It is not for
// several goroutines at once.
func (q *quiet) whenIdle(ctx context.Context, meanwhile func(active int), f func()) {
	look := time.NewTicker(quietLooks)
	defer look.Stop()
	q.mu.Lock()
	if now := time.Now(); q.active > 0 && now.Sub(q.lent) > quietRests {
		q.until, q.lent = now.Add(quietLends), now
	}
	for q.active > 0 && ctx.Err() == nil {
		changed, active := q.next(), q.active
		q.mu.Unlock()
		select {
		case <-changed:
		case <-look.C:
			meanwhile(active)
		case <-ctx.Done():
		}
		q.mu.Lock()
	}
	ended := ctx.Err() != nil
	q.until, q.taken = time.Time{}, !ended
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
