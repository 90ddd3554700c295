//go:build amd64 || arm64

package worker

import (
	"context"
	"slices"
	"time"
)

// Sources are checked in workers that have run nothing. A worker that has checked one source
// can then run that program, which it has compiled. One that has checked several runs none:
// the worker of a run has read no other source.

// checkers are the workers of a pool that check sources. They have places of their own, so
// that slow runs do not keep files from being loaded.
type checkers struct {
	places *Places    // one for each worker that is lent
	idle   []*Process // oldest first
	slow   *Process   // has checked one source, for long; it checks no other, but can run the program
}

// checkPatience is how long a check can compute before its worker gets a low priority. It is
// longer than patience, since that worker may run the program.
const checkPatience = 100 * time.Millisecond

// maxChecks is how many sources one worker checks.
const maxChecks = 1000

// TakeChecker lends a worker for the check of one source; key identifies the program. It
// waits for a place and for the worker until ctx ends.
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

// checker returns a worker that has checked before, or a fresh one.
func (p *Pool) checker(ctx context.Context) (*Process, error) {
	w, c, err := p.chooseChecker()
	if w != nil || err != nil {
		return w, err
	}
	return p.awaited(ctx, c)
}

// chooseChecker takes a worker that has checked before, or one that is being started. If
// there is neither, both results are nil.
func (p *Pool) chooseChecker() (w *Process, c *coming, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errClosed
	}
	for len(p.checks.idle) > 0 {
		w := p.checks.take(len(p.checks.idle) - 1)
		if w.waits() {
			p.fill() // the check's program needs another worker
			return w, nil, nil
		}
		w.Kill()
	}
	if len(p.fresh) > 0 {
		c, p.fresh = p.fresh[0], p.fresh[1:]
	}
	return nil, c, nil
}

// ReturnChecker takes a worker back. It kills one that gave no valid answer.
func (p *Pool) ReturnChecker(w *Process, clean bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks.places.Leave()
	slow := w.slow.Load() || w.held > maxKept/2
	if !clean || p.closed || w.checks >= maxChecks || slow && (w.checks > 1 || w.held > mostKept) {
		w.Kill()
		return
	}
	w.since = time.Now()
	if slow {
		p.checks.end()
		p.checks.slow = w
	} else {
		p.checks.idle = append(p.checks.idle, w)
	}
	p.sweepLater()
}

// end ends the worker that has checked for long; it is one at most, for its memory.
func (c *checkers) end() {
	if c.slow != nil {
		c.slow.Kill()
		c.slow = nil
	}
}

// proven takes the worker that has checked only this program; nil if there is none.
func (p *Pool) proven(key string) *Process {
	if w := p.checks.slow; w != nil && w.program == key {
		if p.checks.slow = nil; w.waits() {
			return w
		}
		w.Kill()
		return nil
	}
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

// sweep kills the workers that have been idle too long.
func (c *checkers) sweep() {
	for len(c.idle) > 0 && time.Since(c.idle[0].since) >= idle {
		c.take(0).Kill()
	}
	if c.slow != nil && time.Since(c.slow.since) >= idle {
		c.end()
	}
}
