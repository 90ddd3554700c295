//go:build amd64 || arm64

package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"sync"
	"time"
)

// Options are those of a [Pool]. A zero field means the default named with it.
type Options struct {
	// Most is how many workers there are at once; 64 by default.
	Most int
	// Spare is how many are ready before they are asked for; 1 by default.
	Spare int
	// Queue is how many may wait for a worker; 256 by default.
	Queue int
	// Args are further arguments for the program; none make it a worker of
	// ours. They are for tests with workers that are not.
	Args []string
}

var errClosed = errors.New("the pool of workers was closed")

// Pool lends workers, one to a run. It is safe for concurrent use.
type Pool struct {
	options Options
	starter *starter
	slots   *Places // one for each worker that is lent, or was and is dying
	living  sync.WaitGroup
	filling sync.WaitGroup

	mu     sync.Mutex
	fresh  []*coming  // nobody has run in them; oldest first
	warm   []*Process // each has run one program; likewise
	all    map[*Process]struct{}
	lent   map[string]int             // workers that are lent, by program
	hopes  map[string][]chan *Process // who waits for one of those, first come first
	checks checkers                   // in which nothing has run

	sweeping *time.Timer // nil while there is nothing to sweep
	taken    int
	closed   bool
	hopeTime time.Duration
}

// maxRuns is how often a worker is used for one program: what the engine keeps
// must not add up. It is some forty bytes of each run.
const maxRuns = 10000

// maxKept is how much memory a worker may hold between runs, in bytes: what it
// holds counts in the next.
const maxKept = 64 << 20

// NewPool is a pool of this program's workers. Nothing is started before the
// first is asked for, or [Pool.Fill] is called.
func NewPool(options Options) (*Pool, error) {
	keepDescriptors()
	if options.Spare == 0 {
		options.Spare = 1
	}
	starter, err := newStarter()
	if err != nil {
		return nil, fmt.Errorf("a thread that starts workers: %w", err)
	}
	return &Pool{options: options, starter: starter, slots: NewPlaces(options.Most, options.Queue), all: map[*Process]struct{}{},
		lent: map[string]int{}, hopes: map[string][]chan *Process{}, hopeTime: hopeTime, checks: checkers{places: CheckPlaces()}}, nil
}

// Most is how many workers are lent at once.
func (p *Pool) Most() int { return p.slots.Most() }

// Take lends a worker for a program: one that has run it, or one in which
// nothing has run. It waits for a place until ctx ends.
func (p *Pool) Take(ctx context.Context, key string) (*Process, error) {
	if err := p.slots.Take(ctx); err != nil {
		return nil, err
	}
	w, err := p.ready(ctx, key)
	if err != nil {
		p.slots.Leave()
		return nil, err
	}
	return w, nil
}

// ready is a worker that nobody else has: one that has run the program, or one
// that is new, which may take until ctx ends.
func (p *Pool) ready(ctx context.Context, key string) (*Process, error) {
	w, c, err := p.choose(ctx, key)
	if err != nil {
		return nil, err
	}
	if w == nil {
		if w, err = p.awaited(ctx, c); err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.ended(key)
			return nil, err
		}
	}
	w.key = key
	w.runs++
	return w, nil
}

// choose takes a worker for a program, or one that is being made. If it has
// neither, one is to be started.
func (p *Pool) choose(ctx context.Context, key string) (w *Process, c *coming, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w = p.used(key)
	if w == nil {
		w = p.proven(key)
	}
	if w == nil && p.lent[key] >= 2*goruntime.GOMAXPROCS(0) {
		w = p.handed(ctx, key)
	}
	switch {
	case p.closed:
		return nil, nil, errClosed
	case w == nil && ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case w == nil && len(p.fresh) > 0:
		c, p.fresh = p.fresh[0], p.fresh[1:]
	}
	if w == nil {
		p.crowd()
	}
	if p.taken++; p.taken > 1 { // the first run of a program may be its last
		p.fill()
	}
	p.lent[key]++
	return w, c, nil
}

// hopeTime is how long a run waits for one of the workers that have its
// program, before another one is started: as long as some starts at once take.
const hopeTime = 30 * time.Millisecond

// handed waits for a worker that is lent for the program: more of them than
// twice the processors only get into each other's way, unless they wait for
// something. It lets go of the lock meanwhile. Nil means that none came.
func (p *Pool) handed(ctx context.Context, key string) *Process {
	hope := make(chan *Process, 1)
	p.hopes[key] = append(p.hopes[key], hope)
	p.mu.Unlock()
	late := time.NewTimer(p.hopeTime)
	defer late.Stop()
	var w *Process
	select {
	case w = <-hope:
	case <-late.C:
	case <-ctx.Done():
	}
	p.mu.Lock()
	if at := slices.Index(p.hopes[key], hope); at >= 0 {
		p.leaves(key, at)
		return nil
	}
	if w == nil {
		w = <-hope // it came at the last moment
	}
	if !w.waits() {
		w.Kill()
		return nil
	}
	return w
}

// keep has a worker for the next run of its program.
func (p *Pool) keep(w *Process) {
	if hopes := p.hopes[w.key]; len(hopes) > 0 {
		hopes[0] <- w
		p.leaves(w.key, 0)
		return
	}
	w.since = time.Now()
	p.warm = append(p.warm, w)
	p.crowd()
	p.sweepLater()
}

func (p *Pool) sweepLater() {
	if p.sweeping == nil && !p.closed {
		p.sweeping = time.AfterFunc(idle, p.sweep)
	}
}

// ended notes that a run of a program has no worker any more.
func (p *Pool) ended(key string) {
	if p.lent[key]--; p.lent[key] == 0 {
		delete(p.lent, key)
	}
}

// leaves takes one from those who hope for a worker of a program.
func (p *Pool) leaves(key string, at int) {
	if p.hopes[key] = slices.Delete(p.hopes[key], at, at+1); len(p.hopes[key]) == 0 {
		delete(p.hopes, key)
	}
}

// used takes the worker that has run a program last; nil if there is none.
func (p *Pool) used(key string) *Process {
	for i := len(p.warm) - 1; i >= 0; i-- {
		w := p.warm[i]
		if w.key != key {
			continue
		}
		p.warm = slices.Delete(p.warm, i, i+1)
		if w.waits() {
			return w
		}
		w.Kill()
	}
	return nil
}

// crowd makes room: those that are lent and those that are warm are no more
// than there may be, but for a few.
func (p *Pool) crowd() {
	for len(p.warm) > p.few() && len(p.warm)+p.slots.taken() > p.slots.Most() {
		p.warm[0].Kill()
		p.warm = p.warm[1:]
	}
}

// Return takes a worker back. One that did not end its run cleanly is killed,
// and has its place until it is gone; another is kept for the same program.
func (p *Pool) Return(w *Process, clean bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clean = clean && !p.closed && w.runs < maxRuns && w.held < maxKept && !w.behind.Load()
	p.ended(w.key)
	if clean {
		p.keep(w)
	} else {
		_, w.owes = p.all[w]
		w.Kill()
	}
	if !w.owes {
		p.slots.Leave()
	}
}

// idle is how long a worker is kept that nobody needs, beside a few.
const idle = 10 * time.Second

// few are kept whatever happens.
func (p *Pool) few() int { return p.options.Spare + 4 }

// sweep kills workers that have been idle for long, the longest first.
func (p *Pool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweeping = nil
	for len(p.warm) > p.few() && time.Since(p.warm[0].since) >= idle {
		p.warm[0].Kill()
		p.warm = p.warm[1:]
	}
	if p.checks.sweep(); len(p.warm) > p.few() || len(p.checks.idle) > 0 {
		p.sweepLater()
	}
}

// Close kills every worker and waits until they are gone. Those that are lent
// are their borrowers' to return, before.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	all := slices.AppendSeq(p.warm, maps.Keys(p.all)) // one that is warm may have died
	p.fresh, p.warm, p.checks.idle = nil, nil, nil
	if p.sweeping != nil {
		p.sweeping.Stop()
	}
	p.mu.Unlock()
	for _, w := range all {
		w.Kill()
	}
	p.filling.Wait()
	p.living.Wait()
	p.starter.close()
}

// born and buried keep the books of what lives.
func (p *Pool) born(w *Process) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[w] = struct{}{}
	p.living.Add(1)
	return !p.closed
}

func (p *Pool) buried(w *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, w)
	if w.owes {
		p.slots.Leave()
	}
	p.living.Done()
}

// Knows reports whether the worker has compiled a program, and notes that it
// is about to.
func (w *Process) Knows(key string) bool {
	known := w.program == key
	w.program = key
	return known
}
