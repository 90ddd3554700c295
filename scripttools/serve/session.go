package serve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// session is the state of one client's session.
type session struct {
	number   int64           // no other session has it
	user     string          // of its token; empty without one
	ctx      context.Context // ends with the session, and its runs with it
	end      context.CancelCauseFunc
	left     chan struct{} // closed when nobody waits for its connection any more
	claimant claimant
	opening  sync.Once
	registry *hostapi.Registry // nil: the runner's
	closing  func()
	err      error
}

// session finds or makes the state of a client's session, which ends with that session.
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

// owner is who owns a run: the user of a token, in all sessions, or else one session.
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

// known is the state of a client's session; nil if it has called nothing.
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

// leave gives up waiting for a session whose connection is stuck in a write that nobody
// reads. Its runs have ended.
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

// during returns ctx that also ends when one of others does, with its cause.
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
