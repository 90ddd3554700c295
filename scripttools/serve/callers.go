package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	// requestHeader carries the ID of the HTTP request that a call came with. The
	// server sets it, whatever a client has sent.
	requestHeader = "Scriptrun-Request"
	// comeBack is how long a client may take to come back for an answer after it lost
	// the connection.
	comeBack = 3 * time.Second
	// maxWaiting limits the requests of a session that wait for a place.
	maxWaiting = 64
	// maxOfClient limits a client's requests that are unanswered or wait, so that
	// connections are left for others. The first one of each session does not count as
	// too many.
	maxOfClient = 256
)

// callers are the sessions of a handler that have requests under way.
type callers struct {
	mu       sync.Mutex
	sessions map[callerKey]*caller
	posts    map[string]*posted
	clients  map[string]int // each one's requests that are unanswered or wait
	resumed  *hall          // places of resumed streams
}

// callerKey is a session as one user names it, so that a user who names somebody else's
// session does not get in its way.
type callerKey struct{ session, user string }

// caller is what one client over HTTP has under way.
type caller struct {
	places
	using     int // requests that use this caller
	waiting   int
	under     int       // requests that wait or are unanswered
	listening int       // streams that it has resumed
	left      time.Time // when one of them last ended or was refused
}

// posted is one HTTP request with calls in it, or one request over stdio.
type posted struct {
	ctx context.Context // ends when nobody waits for the answer
	end context.CancelCauseFunc
	// release gives back the bytes of its body.
	release func()
	from    string // its client; see [callers.from]
	// cutWrite ends the connection that the answer is written to; nil over stdio, where
	// it is the client's only one.
	cutWrite func()
	taking   func() time.Time // see [takingOf]
	batch    bool             // all its answers are written before their room is given back
	requests int
	size     int // of the body; 0 over stdio, which no other client shares
	waited   atomic.Bool
	lost     atomic.Bool // its connection is gone: nothing more is written
	short    atomic.Bool // it was cut off: likewise
	owed
}

// cutter cuts off a request whose answers hold room that others wait for: nothing more
// is written, and its calls end. It is nil where that cannot be done.
func (p *posted) cutter() *cut {
	if p.cutWrite == nil {
		return nil
	}
	return &cut{
		do: func() {
			p.short.Store(true)
			p.cutWrite()
			p.end(errSlowReader)
			if p.lost.Load() || p.allEncoded() {
				p.settle() // what is encoded is kept for replay
			} else { // an answer may be in the making, or never come
				time.AfterFunc(comeBack, p.settle)
			}
		},
		held: func(granted time.Time) time.Time {
			if p.lost.Load() || p.batch && !p.allEncoded() { // the rest of a batch may never come
				return granted
			}
			switch offered := p.taking(); {
			case offered.IsZero():
				return time.Now() // it is being encoded
			default: // earlier writes were of something else
				return later(granted, offered)
			}
		},
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func userOf(info *auth.TokenInfo) string {
	if info == nil {
		return ""
	}
	return info.UserID
}

func callerOf(extra *mcp.RequestExtra) string {
	if extra == nil {
		return ""
	}
	return userOf(extra.TokenInfo)
}

// use finds or makes the caller of a request. A request without a session has a caller
// of its own.
func (c *callers) use(r *http.Request) (key callerKey, of *caller) {
	key = callerKey{r.Header.Get(sessionHeader), userOf(auth.TokenInfoFromContext(r.Context()))}
	if key.session == "" {
		key.session = r.Header.Get(requestHeader)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	of = c.sessions[key]
	if of == nil {
		of = &caller{}
		c.sessions[key] = of
	}
	of.using++
	return key, of
}

func (c *callers) drop(key callerKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of := c.sessions[key]; of != nil {
		if of.using--; of.using == 0 {
			delete(c.sessions, key)
		}
	}
}

// await waits for a place among the unanswered requests.
func (c *callers) await(ctx context.Context, of *caller, client string, inSession bool, size int) error {
	c.mu.Lock()
	crowded := of.waiting >= maxWaiting || (of.under > 0 || !inSession) && c.clients[client] >= maxOfClient
	if !crowded {
		of.waiting++
		c.count(of, client, 1)
	}
	c.mu.Unlock()
	if crowded {
		return errCrowded
	}
	ok := of.take(size, ctx.Done())
	c.mu.Lock()
	defer c.mu.Unlock()
	of.waiting--
	if !ok {
		c.count(of, client, -1)
		return context.Cause(ctx)
	}
	return nil
}

// count is called with mu held.
func (c *callers) count(of *caller, client string, more int) {
	of.under += more
	if c.clients[client] += more; c.clients[client] == 0 {
		delete(c.clients, client)
	}
}

// leave gives a place back.
func (c *callers) leave(of *caller, client string, size int) {
	of.leave(size)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(of, client, -1)
}

// maxResumed and maxResumedOfAll limit the streams resumed at once, per session and in
// all: a replay stays in memory until its client has read it.
const maxResumed, maxResumedOfAll = 4, 8

// listen takes a place for a client that resumes a stream, until done is called. It is
// not ok if the session has too many already, or if others hold all places for too
// long. A stream that was resumed long ago is cut short for a new one.
func (c *callers) listen(ctx context.Context, of *caller, key callerKey, client string, short func()) (done func(), ok bool) {
	whose := claimant{client, key}
	back := func(more int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		of.listening += more
		of.left = time.Now()
	}
	back(1) // the client is back, though it waits
	if c.resumed.isFull(whose, 1) {
		back(-1)
		return nil, false
	}
	ctx, stop := context.WithTimeout(ctx, comeBack)
	defer stop()
	place, err := c.resumed.take(ctx, whose, 1, &cut{do: short})
	if err != nil {
		back(-1)
		return nil, false
	}
	return func() {
		place.shrink(0)
		back(-1)
	}, true
}

var (
	errCrowded    = errors.New("too many requests of this session or client are waiting; wait until some are answered")
	errSlowReader = errors.New("the client did not read its answer for too long while others waited")
	errDeleted    = errors.New("the client has ended its session")
)

// begin registers a request under a name, by which its calls find it.
func (c *callers) begin(name string, p *posted) *posted {
	p.ctx, p.end = context.WithCancelCause(context.Background())
	c.mu.Lock()
	c.posts[name] = p
	c.mu.Unlock()
	return p
}

// allEncoded reports whether all answers are encoded; in a batch, those too that hold
// no room.
func (p *posted) allEncoded() bool {
	if p.batch {
		return p.answers() >= p.requests
	}
	return p.encoded()
}

// answered notes that an answer is encoded and kept for replay.
func (p *posted) answered() {
	p.keep()
	if (p.lost.Load() || p.short.Load()) && p.ctx.Err() != nil && p.allEncoded() {
		p.settle()
	}
}

// over ends a request. If its connection was lost, its calls end too, unless the client
// comes back for their answers.
func (c *callers) over(name string, key callerKey, of *caller, size int, p *posted, lost bool) {
	forget := func() {
		c.finish(name, p)
		c.leave(of, p.from, size)
		c.drop(key)
	}
	if !lost {
		forget()
		return
	}
	p.lost.Store(true)
	c.unlessBack(of, forget)
}

// encoding limits the time to encode an answer that nobody waits for.
const encoding = 30 * time.Second

// finish forgets a request that is answered, or that nobody waits for any more.
func (c *callers) finish(name string, p *posted) {
	p.end(errVanished)
	c.mu.Lock()
	delete(c.posts, name)
	c.mu.Unlock()
	if !p.lost.Load() || p.allEncoded() {
		p.settle()
	} else { // an answer may be in the making; answered may settle it sooner
		time.AfterFunc(encoding, p.settle)
	}
	p.release()
}

// unlessBack calls forget once the client has stayed away for comeBack.
func (c *callers) unlessBack(of *caller, forget func()) {
	time.AfterFunc(comeBack, func() {
		c.mu.Lock()
		back := of.listening > 0 || time.Since(of.left) < comeBack
		c.mu.Unlock()
		if back {
			c.unlessBack(of, forget)
			return
		}
		forget()
	})
}

// post is the request that a call came with; nil if nobody waits for its answer
// any more.
func (c *callers) post(extra *mcp.RequestExtra) *posted {
	if extra == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.posts[extra.Header.Get(requestHeader)]
}

// from names the client of a call: the user of its token, or else the address that it
// came from. It is empty over stdio, which has one client.
func (c *callers) from(extra *mcp.RequestExtra) string {
	if p := c.post(extra); p != nil {
		return p.from
	}
	if user := callerOf(extra); user != "" {
		return "user " + user
	}
	return ""
}

// request returns a context that ends when nobody waits for the answer of a call.
func (c *callers) request(extra *mcp.RequestExtra) context.Context {
	if extra == nil || extra.Header.Get(requestHeader) == "" {
		return context.Background()
	}
	if p := c.post(extra); p != nil {
		return p.ctx
	}
	gone, end := context.WithCancelCause(context.Background())
	end(errVanished)
	return gone
}

// endSession ends the runs of a session if it is the user's.
func (s *Server) endSession(id, user string) {
	for of := range s.mcp.Sessions() {
		if of.ID() == id && s.ownedBy(of, user) {
			s.end(of, errDeleted)
		}
	}
}

func (s *Server) ownedBy(of *mcp.ServerSession, user string) bool {
	found := s.known(of)
	return found != nil && found.user == user
}
