package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
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

// QueueError is a request that too many were waiting before.
type QueueError struct{ Waiting int }

// Error implements error.
func (e *QueueError) Error() string {
	return fmt.Sprintf("%d runs wait for a worker; try again later, or allow more workers", e.Waiting)
}

var errClosed = errors.New("the pool of workers was closed")

// Pool lends workers, one to a run. It is safe for concurrent use.
type Pool struct {
	options Options
	program string
	starter *starter
	slots   chan struct{} // one for each worker that is lent
	living  sync.WaitGroup
	filling sync.WaitGroup

	mu      sync.Mutex
	fresh   []*Process // nobody has run in them
	warm    []*Process // each has run one program; oldest first
	making  int        // being made for fresh
	waiting int
	closed  bool
}

// maxRuns is how often a worker is used for one program: what the engine keeps
// must not add up.
const maxRuns = 1000

// NewPool is a pool of this program's workers. Nothing is started before the
// first is asked for, or [Pool.Fill] is called.
func NewPool(options Options) (*Pool, error) {
	keepDescriptors()
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("workers are this program, started again: %w", err)
	}
	if options.Most == 0 {
		options.Most = 64
	}
	if options.Spare == 0 {
		options.Spare = 1
	}
	if options.Queue == 0 {
		options.Queue = 256
	}
	return &Pool{options: options, program: program, starter: newStarter(), slots: make(chan struct{}, options.Most)}, nil
}

// Fill has the spare workers made.
func (p *Pool) Fill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
}

func (p *Pool) fill() {
	for !p.closed && len(p.fresh)+p.making < p.options.Spare {
		p.making++
		p.filling.Go(func() {
			w, err := p.spawn()
			p.mu.Lock()
			defer p.mu.Unlock()
			p.making--
			switch {
			case err != nil: // whoever asks for one hears of it
			case p.closed:
				go w.Kill()
			default:
				p.fresh = append(p.fresh, w)
			}
		})
	}
}

// Take lends a worker for a program: one that has run it, or one in which
// nothing has run. It waits for a place until ctx ends.
func (p *Pool) Take(ctx context.Context, key string) (*Process, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	w, err := p.ready(key)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return w, nil
}

func (p *Pool) wait(ctx context.Context) error {
	p.mu.Lock()
	if p.waiting >= p.options.Queue {
		defer p.mu.Unlock()
		return &QueueError{Waiting: p.waiting}
	}
	p.waiting++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.waiting--
		p.mu.Unlock()
	}()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *Pool) ready(key string) (*Process, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	var w *Process
	for i := len(p.warm) - 1; i >= 0 && w == nil; i-- {
		if p.warm[i].key == key {
			w = p.warm[i]
			p.warm = slices.Delete(p.warm, i, i+1)
		}
	}
	for w == nil && len(p.fresh) > 0 {
		w, p.fresh = p.fresh[0], p.fresh[1:]
		select {
		case <-w.died: // nobody knows why
			go w.Kill()
			w = nil
		default:
		}
	}
	p.fill()
	p.mu.Unlock()
	if w == nil {
		var err error
		if w, err = p.spawn(); err != nil {
			return nil, err
		}
	}
	w.key = key
	w.runs++
	return w, nil
}

// Return takes a worker back. One that did not end its run cleanly is killed;
// another is kept for the same program.
func (p *Pool) Return(w *Process, clean bool) {
	defer func() { <-p.slots }()
	p.mu.Lock()
	clean = clean && !p.closed && w.runs < maxRuns
	var drop *Process
	if clean {
		p.warm = append(p.warm, w)
		if len(p.warm) > p.options.Spare+4 {
			drop, p.warm = p.warm[0], p.warm[1:]
		}
	} else {
		drop = w
	}
	p.mu.Unlock()
	if drop != nil {
		drop.Kill()
	}
}

// Close kills what is idle and waits until every worker is gone; those that
// are lent are their borrowers' to return.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := slices.Concat(p.fresh, p.warm)
	p.fresh, p.warm = nil, nil
	p.mu.Unlock()
	for _, w := range idle {
		w.Kill()
	}
	p.filling.Wait()
	p.living.Wait()
	p.starter.close()
}

// Knows reports whether the worker has compiled a program, and notes that it
// is about to.
func (w *Process) Knows(key string) bool {
	known := w.known[key]
	w.known[key] = true
	return known
}
