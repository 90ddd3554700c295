//go:build amd64 || arm64

package worker

import (
	"context"
	"slices"
	"time"
)

// A source is checked in a worker in which nothing has run. One that has checked
// one source only may then run that program, which it has compiled. One that has
// checked several runs none: what a run's worker has read is that run's program.

// checkers are the workers of a pool that check. They have places of their own,
// so that no run in a tool that takes long keeps files from being loaded.
type checkers struct {
	places *Places    // one for each that is lent
	idle   []*Process // oldest first
}

// checkPatience is how long a worker may compute for a check until it steps back
// behind others. It is longer than that of a run: a worker that has stepped back
// does not run what it has checked.
const checkPatience = 100 * time.Millisecond

// maxChecks is how many sources a worker checks.
const maxChecks = 1000

// TakeChecker lends a worker that checks one source, whose program is called
// key. It waits for a place, and for the worker, until ctx ends.
func (p *Pool) TakeChecker(ctx context.Context, key string) (*Process, error) {
	if err := p.checks.places.Take(ctx); err != nil {
		return nil, err
	}
	w, err := p.checker(ctx)
	if err != nil {
		p.checks.places.Leave()
		return nil, err
	}
	if w.checks++; w.checks == 1 {
		w.program = key
	} else {
		w.program = ""
	}
	return w, nil
}

// checker is a worker that has checked before, or a fresh one.
func (p *Pool) checker(ctx context.Context) (*Process, error) {
	w, c, err := p.chooseChecker()
	if w != nil || err != nil {
		return w, err
	}
	return p.awaited(ctx, c)
}

// chooseChecker takes a worker that has checked before, or one that is being
// made. If it has neither, one is to be started.
func (p *Pool) chooseChecker() (w *Process, c *coming, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errClosed
	}
	for len(p.checks.idle) > 0 {
		w := p.checks.take(len(p.checks.idle) - 1)
		if w.waits() {
			p.fill() // this one will not run what it checks
			return w, nil, nil
		}
		w.Kill()
	}
	if len(p.fresh) > 0 {
		c, p.fresh = p.fresh[0], p.fresh[1:]
	}
	return nil, c, nil
}

// ReturnChecker takes a worker back. One that has not answered as it should is
// killed.
func (p *Pool) ReturnChecker(w *Process, clean bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks.places.Leave()
	if !clean || p.closed || w.checks >= maxChecks || w.held > maxKept/2 || w.behind.Load() {
		w.Kill()
		return
	}
	w.since = time.Now()
	p.checks.idle = append(p.checks.idle, w)
	p.sweepLater()
}

// proven takes the worker that has checked a program and nothing else; nil if
// there is none.
func (p *Pool) proven(key string) *Process {
	for i, w := range p.checks.idle {
		if w.program != key {
			continue
		}
		p.checks.take(i)
		if w.waits() {
			return w
		}
		w.Kill()
		return nil
	}
	return nil
}

func (c *checkers) take(i int) *Process {
	w := c.idle[i]
	c.idle = slices.Delete(c.idle, i, i+1)
	return w
}

// sweep kills those that have been idle for long.
func (c *checkers) sweep() {
	for len(c.idle) > 0 && time.Since(c.idle[0].since) >= idle {
		c.take(0).Kill()
	}
}
