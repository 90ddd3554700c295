package hostapi

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// LargeResult is how many bytes of a result, before it is encoded, take no turn; see [Turn].
const LargeResult = 256 << 10

// maxTurns is how many large results are made at once, over all runs. One takes several times
// its bytes while it is made, and all of a processor.
const maxTurns = 2

// maxAside is how many large results of runs that are over, whose tools did not heed that, are made
// beside those that have a turn. Further ones keep theirs.
const maxAside = 2

// Turns are those of all runs that share the host's memory. The zero value is ready, and must
// not be copied. It is safe for concurrent use.
type Turns struct {
	mu      sync.Mutex
	taken   int
	over    int              // of those, how many belong to runs that are over
	waiting []*inTurn        // one of each queue, the longest first
	least   bool             // the last choice went to who used turns least, and not to the longest
	clock   func() time.Time // nil means time.Now
}

// inTurn is a queue that waits, or has a turn.
type inTurn struct {
	queue *TurnQueue
	come  chan struct{}
	began time.Time
	over  bool // the run is over
	left  bool
}

func (t *Turns) now() time.Time {
	if t.clock != nil {
		return t.clock()
	}
	return time.Now()
}

// take waits for a turn, unless ctx ends. With the end of life, which is the run's, others may have it.
func (t *Turns) take(ctx, life context.Context, queue *TurnQueue) (leave func(), err error) {
	w := &inTurn{queue: queue, come: make(chan struct{})}
	t.mu.Lock()
	t.waiting = append(t.waiting, w)
	t.next()
	t.mu.Unlock()
	select {
	case <-w.come:
	case <-ctx.Done():
		t.mu.Lock()
		at := slices.Index(t.waiting, w)
		if at >= 0 {
			t.waiting = slices.Delete(t.waiting, at, at+1)
		}
		t.mu.Unlock()
		if at < 0 { // it has just come
			t.leave(w)
		}
		return nil, ctx.Err()
	}
	heed := context.AfterFunc(life, func() { t.aside(w) })
	return func() {
		heed()
		t.leave(w)
	}, nil
}

// next gives the turns that there are to who waits, with t.mu held. Every second goes to the run that
// had turns for the shortest time, of several to the one that came last, so that the only large
// result of a run does not wait behind those of all runs that have many. The others go to who waits
// longest.
func (t *Turns) next() {
	for len(t.waiting) > 0 && t.taken-min(t.over, maxAside) < maxTurns {
		at := 0
		if len(t.waiting) > 1 {
			t.least = !t.least
		}
		if t.least {
			for i, w := range t.waiting {
				if w.queue.used <= t.waiting[at].queue.used {
					at = i
				}
			}
		}
		w := t.waiting[at]
		t.waiting = slices.Delete(t.waiting, at, at+1)
		t.taken++
		w.began = t.now()
		close(w.come)
	}
}

// aside lets others have a turn whose run is over.
func (t *Turns) aside(w *inTurn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !w.left && !w.over {
		w.over = true
		t.over++
		t.next()
	}
}

func (t *Turns) leave(w *inTurn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w.left = true
	w.queue.used += t.now().Sub(w.began)
	if t.taken--; w.over {
		t.over--
	}
	t.next()
}

// TurnQueue is the queue of one run: it has one turn at a time, so that many calls of a run do
// not delay other runs more than one does. It is safe for concurrent use.
type TurnQueue struct {
	turns *Turns
	ready func(done <-chan struct{})
	one   chan struct{} // held by who has the turn, or is next
	used  time.Duration // for how long it had turns; turns.mu guards it
}

// Queue is a queue of a run. ready waits until the run can take a result, or done is closed; it
// comes before each turn. Nil does not wait.
func (t *Turns) Queue(ready func(done <-chan struct{})) *TurnQueue {
	return &TurnQueue{turns: t, ready: ready, one: make(chan struct{}, 1)}
}

// Call is a context for one call or operation, in which [Turn] waits for its turn. A turn that
// is not left ends with leave, which must be called. Where the tool goes on after the end of ctx,
// others may have its turn meanwhile, so that it does not hold them up; of few at once.
func (q *TurnQueue) Call(ctx context.Context) (turns context.Context, leave func()) {
	t := &callTurn{take: func(asked context.Context) (func(), error) { return q.take(asked, ctx) }}
	return context.WithValue(ctx, turnKey{}, t), t.end
}

func (q *TurnQueue) take(ctx, life context.Context) (leave func(), err error) {
	select {
	case q.one <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if q.ready != nil {
		q.ready(ctx.Done())
	}
	var end func()
	if err = ctx.Err(); err == nil {
		end, err = q.turns.take(ctx, life, q)
	}
	if err != nil {
		<-q.one
		return nil, err
	}
	return func() {
		end()
		<-q.one
	}, nil
}

// turnKey is the key of the *callTurn of a context.
type turnKey struct{}

// callTurn is the turn of one call, which has at most one.
type callTurn struct {
	take func(ctx context.Context) (leave func(), err error)

	mu    sync.Mutex // also while it waits: who comes then waits for the same turn
	uses  int
	leave func()
}

// Turn is called by a tool before it makes something large, such as a result of size bytes: it
// returns when there is room in the host for that, and at once if size is at most [LargeResult].
// Whoever does not leave keeps the turn until the script's answer is on its way, so a tool that
// makes its result need not; a tool must not wait for anything slow while it has one. Calls of
// the same call share a turn. The error is that of ctx, and no result is wanted then. In a
// context without turns it returns at once. It is safe for concurrent use.
func Turn(ctx context.Context, size int64) (leave func(), err error) {
	if size > LargeResult {
		if t, _ := ctx.Value(turnKey{}).(*callTurn); t != nil {
			return t.enter(ctx)
		}
	}
	return func() {}, nil
}

func (t *callTurn) enter(ctx context.Context) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uses == 0 {
		if t.leave, err = t.take(ctx); err != nil {
			return nil, err
		}
	}
	t.uses++
	return sync.OnceFunc(func() { t.drop(false) }), nil
}

func (t *callTurn) end() { t.drop(true) }

// drop gives up one use of the turn, or all of them.
func (t *callTurn) drop(all bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uses == 0 {
		return
	}
	if t.uses--; all {
		t.uses = 0
	}
	if t.uses == 0 {
		t.leave()
	}
}

// nestedTurn is a context for a call that a tool makes: it shares the turn of the tool's own
// call, if that has one, and else has one only until leave.
func nestedTurn(ctx context.Context) (nested context.Context, leave func()) {
	outer, _ := ctx.Value(turnKey{}).(*callTurn)
	if outer == nil {
		return ctx, func() {}
	}
	t := &callTurn{take: outer.enter}
	return context.WithValue(ctx, turnKey{}, t), t.end
}

// inTurn is r once it is its turn to be looked at and encoded; for a run that is over, r
// without what is large.
func (r Result) inTurn(ctx context.Context) Result {
	size := r.size()
	if _, err := Turn(ctx, size); err == nil {
		return r
	}
	r.Bytes = max(r.Bytes, size)
	if r.Outcome != OutcomeOK {
		r.Reason = recordedText(cmp.Or(r.Reason, r.Output))
	}
	r.Output, r.Text, r.Data, r.Metadata = "", nil, nil, nil
	return r
}
