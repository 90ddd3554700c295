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

// Options configure a [Pool]. A zero field means its default.
type Options struct {
	// Most is how many workers can be lent at the same time; 64 by default.
	Most int
	// Spare is how many fresh workers are kept ready; 1 by default.
	Spare int
	// Queue is how many runs can wait for a worker; 256 by default.
	Queue int
	// Args are further arguments of the program, with which it is not a worker of ours. They
	// are for tests with hostile workers.
	Args []string
}

var errClosed = errors.New("the pool of workers was closed")

// Pool lends workers, one to a run. It is safe for concurrent use.
type Pool struct {
	options Options
	starter *starter
	slots   *Places // one for each worker that is lent, or was lent and is dying
	living  sync.WaitGroup
	filling sync.WaitGroup

	mu     sync.Mutex
	fresh  []*coming  // have run nothing; oldest first
	warm   []*Process // idle, and each has run one program; oldest first
	all    map[*Process]struct{}
	lent   map[string]int             // number of lent workers, by program
	hopes  map[string][]chan *Process // runs that wait for a lent worker, oldest first
	checks checkers

	sweeping *time.Timer // nil while there is nothing to sweep
	taken    int
	closed   bool
	hopeTime time.Duration
}

// maxRuns is how many runs one worker does. The engine keeps about forty bytes of each run,
// which must not add up.
const maxRuns = 10000

// maxKept is how much memory a worker can hold between runs, in bytes: it counts in the next
// run.
const maxKept = 64 << 20

// mostKept is that of a worker with a heavy program.
const mostKept = 2 * maxKept

// NewPool makes a pool of this program's workers. It starts none before the first
// [Pool.Take] or [Pool.Fill].
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

// Most is how many workers can be lent at the same time.
func (p *Pool) Most() int { return p.slots.Most() }

// Take lends a worker for a program: one that has run only this program, or nothing. It waits
// for a place until ctx ends.
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

// ready returns a worker that has run the program, or a new one, for which it waits until ctx
// ends.
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

// choose takes a worker for a program, or one that is being started. If there is neither,
// both results are nil.
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
	if p.taken++; p.taken > 1 { // the first run may be the only one
		p.fill()
	}
	p.lent[key]++
	return w, c, nil
}

// hopeTime is how long a run waits for a lent worker of its program before another is started:
// about as long as several starts at the same time take.
const hopeTime = 30 * time.Millisecond

// handed waits for a lent worker of the program: more workers than twice the processors only
// slow each other down, unless they wait for tools. It releases the lock while it waits. Nil
// means that none came.
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

// keep keeps a worker for the next run of its program.
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

// ended counts a lent worker of a program less.
func (p *Pool) ended(key string) {
	if p.lent[key]--; p.lent[key] == 0 {
		delete(p.lent, key)
	}
}

// leaves removes one of the runs that wait for a lent worker of a program.
func (p *Pool) leaves(key string, at int) {
	if p.hopes[key] = slices.Delete(p.hopes[key], at, at+1); len(p.hopes[key]) == 0 {
		delete(p.hopes, key)
	}
}

// used takes the idle worker that ran a program last; nil if there is none.
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

// crowd kills warm workers, except a few, until lent and warm ones together fit the limit.
func (p *Pool) crowd() {
	for len(p.warm) > p.few() && len(p.warm)+p.slots.taken() > p.slots.Most() {
		p.warm[0].Kill()
		p.warm = p.warm[1:]
	}
}

// Return takes a worker back. It keeps the worker for the same program, or kills it if its run
// did not end cleanly, or took long. A killed worker keeps its place until it is gone.
func (p *Pool) Return(w *Process, clean bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clean = clean && !p.closed && w.runs < maxRuns && (w.held < maxKept && !w.slow.Load() || w.heavy && w.held < mostKept)
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

// idle is how long an idle worker is kept; a few are kept longer.
const idle = 10 * time.Second

// few is how many warm workers are always kept.
func (p *Pool) few() int { return p.options.Spare + 4 }

// sweep kills workers that have been idle too long, the longest first.
func (p *Pool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweeping = nil
	for len(p.warm) > p.few() && time.Since(p.warm[0].since) >= idle {
		p.warm[0].Kill()
		p.warm = p.warm[1:]
	}
	if p.checks.sweep(); len(p.warm) > p.few() || len(p.checks.idle) > 0 || p.checks.slow != nil {
		p.sweepLater()
	}
}

// Close kills every worker and waits until they are gone. Lent workers must be returned
// before.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	all := slices.AppendSeq(p.warm, maps.Keys(p.all)) // a warm one may have died, and left all
	p.fresh, p.warm, p.checks.idle, p.checks.slow = nil, nil, nil, nil
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

// born and buried register a worker and its end.
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

// heavy is the size of a program that compiles for longer than a run may compute before its
// worker steps back, in bytes of its source and map.
const heavy = 64 << 10

// Knows reports whether the worker has compiled a program, and records that it will have; size is
// that of its source and map. A worker with a heavy program is kept although it has stepped back:
// a fresh one would step back too, while it compiles the program again.
func (w *Process) Knows(key string, size int) bool {
	known := w.program == key
	w.program, w.heavy = key, size > heavy
	return known
}
