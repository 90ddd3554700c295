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
	// requestHeader tells a call which HTTP request it came with. It is set here,
	// whatever a client has sent.
	requestHeader = "Scriptrun-Request"
	// comeBack is how long a client may take to come back for an answer whose
	// connection it has lost.
	comeBack = 3 * time.Second
	// maxWaiting is how many requests of a session wait for a place.
	maxWaiting = 64
	// maxOfClient is how many requests of a client are unanswered or wait, but for one
	// in each session: so some of the connections are left for others.
	maxOfClient = 256
)

// callers are those of a handler's sessions that have requests under way.
type callers struct {
	mu       sync.Mutex
	sessions map[callerKey]*caller
	posts    map[string]*posted
	clients  map[string]int // requests of each that are unanswered or wait
	resumed  *hall          // where streams have their places that are resumed
}

// callerKey is a session as one user names it: somebody else who names it does
// not stand in its way.
type callerKey struct{ session, user string }

// caller is what one client over HTTP has under way.
type caller struct {
	places
	using     int // requests that hold this
	waiting   int
	under     int       // requests that wait or are unanswered
	listening int       // streams that it came back for
	left      time.Time // when it last gave one up, or was refused one
}

// posted is one HTTP request with calls in it, or one request of another client.
type posted struct {
	ctx context.Context // ends when nobody will hear the answer
	end context.CancelCauseFunc
	// release gives back what its body holds.
	release func()
	from    string // whose it is; see [callers.from]
	// cutWrite has the connection end on which the answer is written; nil where there
	// is none but the client's only one.
	cutWrite func()
	taking   func() time.Time // see [takingOf]
	batch    bool             // its answers are written before its places are given back
	requests int
	size     int // of the body; 0 over stdio, where nobody shares it
	waited   atomic.Bool
	lost     atomic.Bool // its connection is gone: nothing is written any more
	short    atomic.Bool // it was cut: likewise
	owed
}

// cutter is what cuts a request short whose answers take the room of others: nothing is
// written any more, and its calls end. Nil where that is not done.
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
				p.settle() // it is kept for who may come back
			} else { // an answer may be under way, or never come
				time.AfterFunc(comeBack, p.settle)
			}
		},
		held: func(granted time.Time) time.Time {
			if p.lost.Load() || p.batch && !p.allEncoded() { // what is to come of a batch may never come
				return granted
			}
			switch offered := p.taking(); {
			case offered.IsZero():
				return time.Now() // it is being encoded
			default: // what was written before it was granted was something else
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

// use finds what the client of a request has under way. One without a session
// stands alone.
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

// How many streams are resumed at once, of a session and of all. What is said
// again is held until its client has read it, also when it is not kept any more.
const maxResumed, maxResumedOfAll = 4, 8

// listen is a client that comes back for an answer, until done is called. It is
// not ok where its session has too many already, or others do for long; one that has
// listened for long is cut short then.
func (c *callers) listen(ctx context.Context, of *caller, key callerKey, client string, short func()) (done func(), ok bool) {
	whose := claimant{client, key}
	back := func(more int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		of.listening += more
		of.left = time.Now()
	}
	back(1) // it is here, though it waits
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
	errCrowded    = errors.New("too many requests of this session or of its client wait; have some answered first")
	errSlowReader = errors.New("its client did not read for long, and others waited")
	errDeleted    = errors.New("the client has ended its session")
)

// begin makes a request known to its calls, by a name.
func (c *callers) begin(name string, p *posted) *posted {
	p.ctx, p.end = context.WithCancelCause(context.Background())
	c.mu.Lock()
	c.posts[name] = p
	c.mu.Unlock()
	return p
}

// allEncoded reports whether nothing is encoded any more. Of a batch, answers count that
// hold nothing.
func (p *posted) allEncoded() bool {
	if p.batch {
		return p.answers() >= p.requests
	}
	return p.encoded()
}

// answered is told when an answer is encoded, and kept for who may come back.
func (p *posted) answered() {
	p.keep()
	if (p.lost.Load() || p.short.Load()) && p.ctx.Err() != nil && p.allEncoded() {
		p.settle()
	}
}

// over ends a request. The calls of one that nobody waits for any more are
// ended, unless the client comes back for their answers.
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

// encoding is how long an answer that nobody will hear may take to be encoded.
const encoding = 30 * time.Second

// finish is for a request that is answered, or whose answer nobody will hear.
func (c *callers) finish(name string, p *posted) {
	p.end(errVanished)
	c.mu.Lock()
	delete(c.posts, name)
	c.mu.Unlock()
	if !p.lost.Load() || p.allEncoded() {
		p.settle()
	} else { // it may be under way, and is told by who keeps it
		time.AfterFunc(encoding, p.settle)
	}
	p.release()
}

// unlessBack calls forget after a while in which the client has not come back.
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

// from is whose a call is, where there are others: the user of its token, or else
// the address that it came from. Over stdio there is one.
func (c *callers) from(extra *mcp.RequestExtra) string {
	if p := c.post(extra); p != nil {
		return p.from
	}
	if user := callerOf(extra); user != "" {
		return "user " + user
	}
	return ""
}

// request ends when nobody waits for the answer of a call.
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

// endSession ends the runs of a session for the user whose it is.
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
