//go:build amd64 || arm64

package worker

import (
	"context"
	"errors"
)

// Fill starts the spare workers.
func (p *Pool) Fill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
}

// coming is a worker that is being started.
type coming struct {
	made   chan struct{} // closed when worker or err is set
	worker *Process
	err    error
}

func (p *Pool) fill() {
	for !p.closed && len(p.fresh) < p.options.Spare {
		p.fresh = append(p.fresh, p.make())
	}
}

// awaited waits for a worker that is being started. If that one fails or is nil, it starts
// another, once.
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

// begin starts a worker.
func (p *Pool) begin() (*coming, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	return p.make(), nil
}

// make starts a worker. p.mu must be held, and the pool not closed.
func (p *Pool) make() *coming {
	c := &coming{made: make(chan struct{})}
	p.filling.Go(func() {
		defer close(c.made)
		c.worker, c.err = p.spawn()
	})
	return c
}

// spare keeps a worker that a run did not wait for; the next run gets it.
func (p *Pool) spare(c *coming) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed { // Close kills it
		p.fresh = append([]*coming{c}, p.fresh...)
	}
}
