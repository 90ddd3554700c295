package serve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// session is what one client has of its own.
type session struct {
	slots    chan struct{} // one for each run at once
	opening  sync.Once
	registry *hostapi.Registry // nil: the runner's
	closing  func()
	err      error
}

// session finds what a client has, or makes it. It ends with the client's.
func (s *Server) session(ctx context.Context, of *mcp.ServerSession) (*session, error) {
	s.mu.Lock()
	found, ok := s.sessions[of]
	if !ok {
		found = &session{slots: make(chan struct{}, s.options.SessionRuns)}
		s.sessions[of] = found
		go func() {
			_ = of.Wait() // how it ended does not matter
			s.mu.Lock()
			delete(s.sessions, of)
			s.mu.Unlock()
			found.opening.Do(func() {})
			if found.closing != nil {
				found.closing()
			}
		}()
	}
	s.mu.Unlock()
	found.opening.Do(func() {
		if s.options.Workspace == nil {
			return
		}
		var tools []hostapi.Tool
		if tools, found.closing, found.err = s.options.Workspace(context.WithoutCancel(ctx), of.ID()); found.err == nil {
			found.registry, found.err = hostapi.NewRegistry(tools...)
		}
	})
	return found, found.err
}

// enter waits for a place among the runs of a session; leave gives it back.
func (c *session) enter(ctx context.Context) (leave func(), err error) {
	select {
	case c.slots <- struct{}{}:
		return func() { <-c.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
