package mcptools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is a running server that was started or reached.
type session struct {
	*mcp.ClientSession
	ctx     context.Context // ends with it, and its calls with it
	end     context.CancelCauseFunc
	streams bool              // whether it knows which requests were sent
	limit   func(bytes int64) // sets the limit of one message; 0 is the default
	said    func() string     // the end of its stderr; nil over HTTP
	stop    func()            // releases what is left of it
}

// start is one attempt to start the server. All calls that wait share it.
type start struct {
	done    chan struct{}
	session *session // once done is closed
	err     error
}

// live is the session. If there is none, it starts one, and waits until ctx ends.
func (c *Connection) live(ctx context.Context) (*session, error) {
	c.mu.Lock()
	wait := time.Until(c.retryAt)
	switch {
	case c.closed:
		c.mu.Unlock()
		return nil, c.failed(errClosed)
	case c.session != nil && c.session.ctx.Err() == nil:
		defer c.mu.Unlock()
		return c.session, nil
	case c.starting == nil && wait > 0:
		c.mu.Unlock()
		return nil, &Error{Server: c.server.Name, RetryIn: wait, err: errors.New("it could not be started")}
	case c.starting == nil:
		c.starting = &start{done: make(chan struct{})}
		attempt := c.starting
		c.ended.Go(func() { c.try(attempt) }) //nolint:contextcheck // a start belongs to all who wait for it
	}
	attempt := c.starting
	c.mu.Unlock()
	select {
	case <-attempt.done:
		return attempt.session, attempt.err
	case <-ctx.Done():
		return nil, fmt.Errorf("MCP server %q: it has not started yet: %w", c.server.Name, context.Cause(ctx))
	}
}

// try makes an attempt and records how it ended.
func (c *Connection) try(attempt *start) {
	ctx, cancel := context.WithTimeout(c.life, c.server.StartTimeout)
	defer cancel()
	session := &session{}
	session.ctx, session.end = context.WithCancelCause(c.life)
	err := c.start(ctx, session)
	if err != nil {
		session.end(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(attempt.done)
	c.starting = nil
	switch {
	case err != nil && c.closed:
		attempt.err = c.failed(errClosed)
	case err != nil:
		c.failures++
		delay := min(time.Second<<min(c.failures-1, 5), 30*time.Second)
		c.retryAt = time.Now().Add(delay)
		attempt.err = &Error{Server: c.server.Name, RetryIn: delay, err: c.server.private(err)}
	default:
		c.failures, c.session, attempt.session = 0, session, session
		c.ended.Go(func() { c.watch(session) })
	}
}

// watch waits for the end of a session, and ends what is left of it.
func (c *Connection) watch(s *session) {
	over := make(chan error, 1)
	go func() { over <- s.Wait() }()
	select {
	case err := <-over:
		if err == nil {
			err = errGone
		}
		s.end(err)
	case <-s.ctx.Done():
	}
	c.mu.Lock()
	if c.session == s {
		c.session = nil
	}
	c.mu.Unlock()
	s.stop()
}

// start begins a session. An attempt that is not done when ctx ends is given up.
func (c *Connection) start(ctx context.Context, s *session) (err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "scriptrun", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // a call is made once
	})
	var transport mcp.Transport
	var cut func() // ends all waiting for the server
	kill := func() {}
	if c.server.URL != "" {
		web := c.server.client()
		transport, cut, s.limit = web.transport(c.server.URL), web.end, web.limit
		s.stop = func() {
			within(endTime, func() { _ = s.Close() }) // however it ends
			web.end()
		}
	} else {
		program, err := startProgram(c.server)
		if err != nil {
			return c.server.notStarted(err)
		}
		streams := newLines(program.stdout, program.stdin, program.note, program.alive)
		transport, s.streams, s.limit, s.said = streams, true, streams.setLimit, program.stderr.text
		cut = func() { _ = streams.Close() } // which never fails
		s.stop = func() {
			cut()
			program.end(endTime)
		}
		kill = func() { program.end(0) }
	}
	s.limit(maxListBytes)
	defer s.limit(0)
	keep := context.AfterFunc(ctx, cut)
	s.ClientSession, err = client.Connect(ctx, transport, nil)
	if !keep() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	cut()
	kill()
	if s.ClientSession != nil { // it began just too late
		within(endTime, func() { _ = s.Close() }) // however it ends
	}
	return s.withSaid(c.server.notThere(ctx, err))
}

// withSaid adds to an error what the server wrote to stderr.
func (s *session) withSaid(err error) error {
	if s.said != nil {
		if said := s.said(); said != "" {
			return fmt.Errorf("%w; it wrote: %s", err, said)
		}
	}
	return err
}

// within waits for f, but not for long.
func within(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
