package serve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// session is what one client has of its own.
type session struct {
	number   int64           // it is the only one with it
	user     string          // of its token; empty without one
	ctx      context.Context // ends with the session, and its runs with it
	end      context.CancelCauseFunc
	left     chan struct{} // closed where its connection is left behind
	claimant claimant
	opening  sync.Once
	registry *hostapi.Registry // nil: the runner's
	closing  func()
	err      error
}

// session finds what a client has, or makes it. It ends with the client's.
func (s *Server) session(ctx context.Context, of *mcp.ServerSession, extra *mcp.RequestExtra) (*session, error) {
	s.mu.Lock()
	found, ok := s.sessions[of]
	if !ok {
		s.opened++
		found = &session{number: s.opened, user: callerOf(extra), left: make(chan struct{})}
		found.claimant = claimant{s.callers.from(extra), found.number}
		found.ctx, found.end = context.WithCancelCause(context.Background())
		s.sessions[of] = found
		s.leaving.Add(1)
		go func() {
			defer s.leaving.Done()
			over := make(chan struct{})
			go func() {
				_ = of.Wait() // how it ended does not matter
				close(over)
			}()
			select {
			case <-over:
			case <-found.left:
			}
			s.mu.Lock()
			delete(s.sessions, of)
			s.mu.Unlock()
			found.end(errEnding)
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

// owner is whose a run is: the user of a token in all sessions, and otherwise one
// session.
type owner struct {
	user    string
	session int64
}

func ownerOf(of *session, extra *mcp.RequestExtra) owner {
	if user := callerOf(extra); user != "" {
		return owner{user: user}
	}
	return owner{session: of.number}
}

// known is what a client has, or nil if it has called nothing.
func (s *Server) known(of *mcp.ServerSession) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[of]
}

// end ends the runs of a session.
func (s *Server) end(of *mcp.ServerSession, why error) {
	if found := s.known(of); found != nil {
		found.end(why)
	}
}

// leave is for a session whose connection stands in a write that nobody takes: nobody
// waits for it any more. Its runs have ended.
func (s *Server) leave(of *mcp.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == nil {
		s.left = map[*mcp.ServerSession]bool{}
	}
	s.left[of] = true
	if found := s.sessions[of]; found != nil {
		close(found.left)
	}
}

func (s *Server) isLeft(of *mcp.ServerSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left[of]
}

// during is ctx until one of others has ended, for its reason.
func during(ctx context.Context, others ...context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var stops []func() bool
	for _, other := range others {
		stops = append(stops, context.AfterFunc(other, func() { cancel(context.Cause(other)) }))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}
