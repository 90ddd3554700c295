package hostapi

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// LargeResult is how many bytes of a result, before it is encoded, take no turn; see [Turn].
const LargeResult = 256 << 10

// maxTurns is how many large results are made at once, over all runs. One takes several times
// its bytes while it is made, and all of a processor.
const maxTurns = 2

// Turns are those of all runs that share the host's memory. The zero value is ready, and must
// not be copied. It is safe for concurrent use.
type Turns struct {
	mu      sync.Mutex
	taken   int
	waiting []*inTurn // one of each queue, the longest first
	fewest  bool      // the next goes to the queue that had the fewest, and not to the longest
}

// inTurn is a queue that waits.
type inTurn struct {
	queue *TurnQueue
	come  chan struct{}
}

// take waits for a turn, unless ctx ends.
func (t *Turns) take(ctx context.Context, queue *TurnQueue) error {
	t.mu.Lock()
	if t.taken < maxTurns {
		t.taken++
		queue.had++
		t.mu.Unlock()
		return nil
	}
	w := &inTurn{queue, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.mu.Unlock()
	select {
	case <-w.come:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	at := slices.Index(t.waiting, w)
	if at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.mu.Unlock()
	if at < 0 { // it has just come
		t.leave()
	}
	return ctx.Err()
}

// leave gives a turn to who waits. Every second goes to the run that had the fewest, of several
// to the one that came last, so that the only large result of a run does not wait behind those of
// all runs that have many. The others go to who waits longest.
func (t *Turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.taken--
		return
	}
	next := 0
	if t.fewest = !t.fewest; t.fewest {
		for i, w := range t.waiting {
			if w.queue.had <= t.waiting[next].queue.had {
				next = i
			}
		}
	}
	w := t.waiting[next]
	t.waiting = slices.Delete(t.waiting, next, next+1)
	w.queue.had++
	close(w.come)
}

// TurnQueue is the queue of one run: it has one turn at a time, so that many calls of a run do
// not delay other runs more than one does. It is safe for concurrent use.
type TurnQueue struct {
	turns *Turns
	ready func(done <-chan struct{})
	one   chan struct{} // held by who has the turn, or is next
	had   int           // how many; turns.mu guards it
}

// Queue is a queue of a run. ready waits until the run can take a result, or done is closed; it
// comes before each turn. Nil does not wait.
func (t *Turns) Queue(ready func(done <-chan struct{})) *TurnQueue {
	return &TurnQueue{turns: t, ready: ready, one: make(chan struct{}, 1)}
}

// Call is a context for one call or operation, in which [Turn] waits for its turn. A turn that
// is not left ends with leave, which must be called.
func (q *TurnQueue) Call(ctx context.Context) (turns context.Context, leave func()) {
	t := &callTurn{take: q.take}
	return context.WithValue(ctx, turnKey{}, t), t.end
}

func (q *TurnQueue) take(ctx context.Context) (leave func(), err error) {
	select {
	case q.one <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if q.ready != nil {
		q.ready(ctx.Done())
	}
	if err = ctx.Err(); err == nil {
		err = q.turns.take(ctx, q)
	}
	if err != nil {
		<-q.one
		return nil, err
	}
	return func() {
		q.turns.leave()
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
