package mcptools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Connection is a connected server with its tools. It is safe for concurrent use.
type Connection struct {
	server  Server
	tools   []hostapi.Tool
	skipped []string

	life context.Context // until it is closed
	kill context.CancelCauseFunc

	mu       sync.Mutex
	session  *session  // nil while there is none
	starting *start    // nil while nobody starts one
	failures int       // starts in a row that failed
	retryAt  time.Time // when it may be started again
	closed   bool
	ended    sync.WaitGroup
}

// Connect starts or reaches a server and asks for its tools: at most 1,000, on
// at most 100 pages, described in at most 4 MiB, within its StartTimeout.
func Connect(ctx context.Context, server Server) (*Connection, error) {
	c, err := connect(ctx, server)
	if failed := (*Error)(nil); errors.As(err, &failed) {
		return nil, &Error{Server: failed.Server, over: true, err: failed.err}
	}
	return c, err
}

func connect(ctx context.Context, server Server) (*Connection, error) {
	if err := server.Check(); err != nil {
		return nil, err
	}
	c := &Connection{server: server.withDefaults()}
	c.life, c.kill = context.WithCancelCause(context.WithoutCancel(ctx))
	session, err := c.live(ctx)
	if err != nil {
		_ = c.Close() // which never fails
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.server.StartTimeout)
	defer cancel()
	ctx, delivery := withDelivery(ctx)
	session.limit(maxListBytes)
	listed, err := list(ctx, session.ClientSession)
	session.limit(0)
	if err == nil {
		err = c.take(listed)
	} else {
		err = c.failed(fmt.Errorf("list its tools: %w", c.reason(session, delivery, err)))
	}
	if err != nil {
		_ = c.Close() // which never fails
		return nil, err
	}
	return c, nil
}

// Tools are the server's, as host tools.
func (c *Connection) Tools() []hostapi.Tool { return slices.Clone(c.tools) }

// Skipped has a sentence for each tool of the server that cannot be a host tool.
func (c *Connection) Skipped() []string { return slices.Clone(c.skipped) }

// Close ends the session, and the program with all that it started. Running calls
// fail. It may be called more than once.
func (c *Connection) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.kill(errClosed) // those that start or watch a session end it
	c.ended.Wait()
	return nil
}

// endTime is how long a program may take to end by itself, and a server over HTTP to
// take note of the end.
const endTime = time.Second

func (c *Connection) failed(err error) *Error { return &Error{Server: c.server.Name, err: err} }

// reason is why something failed, in more detail than the library knows.
func (c *Connection) reason(s *session, of *delivery, err error) error {
	if most := of.tooMuch.Load(); most > 0 {
		return fmt.Errorf("it sent more than %d bytes in one answer, the most that is taken", most)
	}
	if cause := context.Cause(s.ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errGone) {
		err = s.withSaid(err)
	}
	return c.server.private(err)
}
