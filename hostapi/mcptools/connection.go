package mcptools

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/scriptrun/scriptrun/hostapi"
)

// Connection is a server with its tools. It is safe for concurrent use.
type Connection struct {
	server  Server
	tools   []hostapi.Tool
	skipped []string

	starting sync.Mutex // one start at a time

	mu       sync.Mutex
	session  *mcp.ClientSession // nil while there is none
	stop     func()             // ends what was started with it
	failures int                // starts in a row that failed
	retryAt  time.Time
	closed   bool
	ended    sync.WaitGroup
}

// Connect starts or reaches a server and asks for its tools.
func Connect(ctx context.Context, server Server) (*Connection, error) {
	if err := server.Check(); err != nil {
		return nil, err
	}
	c := &Connection{server: server.withDefaults()}
	ctx, cancel := context.WithTimeout(ctx, c.server.StartTimeout)
	defer cancel()
	session, err := c.live(ctx)
	if err != nil {
		return nil, err
	}
	var listed []*mcp.Tool
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, errors.Join(c.failed(fmt.Errorf("list its tools: %w", err)), c.Close())
		}
		listed = append(listed, tool)
	}
	if err := c.take(listed); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Tools are the server's, as host tools.
func (c *Connection) Tools() []hostapi.Tool { return slices.Clone(c.tools) }

// Skipped says, a sentence each, which tools of the server cannot be host tools.
func (c *Connection) Skipped() []string { return slices.Clone(c.skipped) }

// Close ends the session, and the program with all that it started. Calls that
// are under way fail. It may be called more than once.
func (c *Connection) Close() error {
	c.mu.Lock()
	c.closed = true
	session, stop := c.session, c.stop
	c.session, c.stop = nil, nil
	c.mu.Unlock()
	if session != nil {
		end(session, stop)
	}
	c.ended.Wait()
	return nil
}

// endTime is how long a program may take to end by itself.
const endTime = 2 * time.Second

func end(session *mcp.ClientSession, stop func()) {
	_ = session.Close() // however it ends
	stop()
}

// live is a session that has not ended as far as is known; it starts one if
// there is none.
func (c *Connection) live(ctx context.Context) (*mcp.ClientSession, error) {
	c.starting.Lock()
	defer c.starting.Unlock()
	c.mu.Lock()
	session, closed, wait := c.session, c.closed, time.Until(c.retryAt)
	c.mu.Unlock()
	switch {
	case closed:
		return nil, c.failed(errClosed)
	case session != nil:
		return session, nil
	case wait > 0:
		return nil, &Error{Server: c.server.Name, RetryIn: wait, err: errors.New("it could not be started")}
	}
	session, stop, err := c.start(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failures++
		delay := min(time.Second<<min(c.failures-1, 5), 30*time.Second)
		c.retryAt = time.Now().Add(delay)
		return nil, &Error{Server: c.server.Name, RetryIn: delay, err: err}
	}
	if c.closed {
		go end(session, stop)
		return nil, c.failed(errClosed)
	}
	c.failures, c.session, c.stop = 0, session, stop
	c.ended.Go(func() { c.watch(session) })
	return session, nil
}

// watch notes when a session has ended.
func (c *Connection) watch(session *mcp.ClientSession) {
	_ = session.Wait() // whoever calls it hears why
	c.drop(session)
}

// drop gives up a session that has ended, and ends what is left of its program.
func (c *Connection) drop(session *mcp.ClientSession) {
	c.mu.Lock()
	stop := c.stop
	if c.session == session {
		c.session, c.stop = nil, nil
	} else {
		stop = nil
	}
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (c *Connection) failed(err error) *Error { return &Error{Server: c.server.Name, err: err} }

// start begins a session; stop ends what is left of the program.
func (c *Connection) start(ctx context.Context) (session *mcp.ClientSession, stop func(), err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "scriptrun", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	ctx, cancel := context.WithTimeout(ctx, c.server.StartTimeout)
	defer cancel()
	if c.server.URL != "" {
		session, err = client.Connect(ctx, &mcp.StreamableClientTransport{
			Endpoint: c.server.URL, HTTPClient: c.server.client(), MaxRetries: -1,
		}, nil)
		return session, func() {}, err
	}
	program, err := startProgram(c.server)
	if err != nil {
		return nil, nil, err
	}
	session, err = client.Connect(ctx, &mcp.IOTransport{Reader: program.stdout, Writer: program.stdin}, nil)
	if err != nil {
		program.end(0)
		if said := program.stderr.text(); said != "" {
			err = fmt.Errorf("%w; it wrote: %s", err, said)
		}
		return nil, nil, err
	}
	return session, func() { program.end(endTime) }, nil
}

// client sends the headers to the server, and to nobody that it redirects to.
func (s Server) client() *http.Client {
	return &http.Client{
		Transport: withHeaders{s.Headers, http.DefaultTransport},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if first := before[0].URL; next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || len(before) > 5 {
				return fmt.Errorf("it redirects to %s; name that as its url", next.URL.Redacted())
			}
			return nil
		},
	}
}

// withHeaders sends headers with every request.
type withHeaders struct {
	headers map[string]string
	next    http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (w withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	return w.next.RoundTrip(r)
}
