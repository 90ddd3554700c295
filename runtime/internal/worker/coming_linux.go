//go:build amd64 || arm64

package worker

import (
	"context"
	"errors"
)

// Fill has the spare workers made.
func (p *Pool) Fill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
}

// coming is a worker that is being made.
type coming struct {
	made   chan struct{} // closed when one of the others is set
	worker *Process
	err    error
}

func (p *Pool) fill() {
	for !p.closed && len(p.fresh) < p.options.Spare {
		p.fresh = append(p.fresh, p.make())
	}
}

// awaited waits for a worker that is being made. If nothing came of it, nobody
// knows why, and another one is made; nil stands for one of which nothing came.
func (p *Pool) awaited(ctx context.Context, c *coming) (*Process, error) {
	last := c == nil
	for {
		if c == nil {
			var err error
			if c, err = p.begin(); err != nil {
				return nil, err
			}
		}
		select {
		case <-c.made:
		case <-ctx.Done():
			p.spare(c)
			return nil, context.Cause(ctx)
		}
		switch {
		case c.err == nil && c.worker.waits():
			return c.worker, nil
		case c.err == nil:
			c.worker.Kill()
			c.err = errors.New("a worker died before it was given anything to do")
		}
		if last {
			return nil, c.err
		}
		c, last = nil, true
	}
}

// begin has a worker made.
func (p *Pool) begin() (*coming, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	return p.make(), nil
}

// make has a worker made, with p.mu held, by a pool that is not closed.
func (p *Pool) make() *coming {
	c := &coming{made: make(chan struct{})}
	p.filling.Go(func() {
		defer close(c.made)
		c.worker, c.err = p.spawn()
	})
	return c
}

// spare takes a worker back for which a run could not wait: it is the next
// one's.
func (p *Pool) spare(c *coming) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed { // Close kills it
		p.fresh = append([]*coming{c}, p.fresh...)
	}
}
