package serve

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// occupancy is who has which sessions, and when they were last used. There are only
// so many: where one more begins, one ends that nobody uses, of the client that has
// most.
type occupancy struct {
	server *Server
	most   int

	mu        sync.Mutex
	beginning map[string]int // requests of each client that have no session, or not yet
	used      map[string]*use
	ending    map[string]bool // sessions that have had to go, until they are gone
}

// use is what is known of a session.
type use struct {
	client string
	calls  int // requests under way, but for streams that only listen
	posts  int // requests so far, likewise
	last   time.Time
}

// A session may end for another one of its client when it has had no request for so
// long; one that has only begun, much sooner.
const (
	unused     = 5 * time.Minute
	unusedEver = 10 * time.Second
)

// patience is how long it stays for others of its client.
func (u *use) patience() time.Duration {
	if u.posts <= 1 { // it has said that it has begun
		return unusedEver
	}
	return unused
}

// before says which of two ends first.
func (u *use) before(other *use) int {
	return cmp.Or(
		cmp.Compare(min(u.calls, 1), min(other.calls, 1)),
		cmp.Compare(min(u.posts, 2)/2, min(other.posts, 2)/2),
		u.last.Compare(other.last))
}

var errEvicted = errors.New("nobody has used this session for longest, and there are too many")

// limitSessions bounds the sessions at once, and with them the requests that have none:
// those begin one, or stand alone.
func (s *Server) limitSessions(most int, next http.Handler) http.Handler {
	o := &occupancy{server: s, most: most, used: map[string]*use{}, beginning: map[string]int{}, ending: map[string]bool{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch id := r.Header.Get(sessionHeader); {
		case id != "":
			defer o.enter(id, r.Method != http.MethodGet)()
		case r.Method == http.MethodPost:
			if !o.begin(who(r)) {
				w.Header().Set("Retry-After", "10")
				http.Error(w, "there are too many sessions; end one, or try again later", http.StatusServiceUnavailable)
				return
			}
			named := &namingWriter{ResponseWriter: w, begun: func(id string) { o.begun(id, who(r)) }}
			defer named.done()
			w = named
		}
		next.ServeHTTP(w, r)
	})
}

// namingWriter tells once which session an answer begins, before its client knows.
type namingWriter struct {
	http.ResponseWriter
	once  sync.Once
	begun func(id string)
}

func (n *namingWriter) done() {
	n.once.Do(func() { n.begun(n.Header().Get(sessionHeader)) })
}

func (n *namingWriter) tell() {
	if n.Header().Get(sessionHeader) != "" {
		n.done()
	}
}

// WriteHeader implements [http.ResponseWriter].
func (n *namingWriter) WriteHeader(status int) {
	n.tell()
	n.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (n *namingWriter) Write(p []byte) (int, error) {
	n.tell()
	return n.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (n *namingWriter) Flush() {
	n.tell()
	_ = http.NewResponseController(n.ResponseWriter).Flush()
}

// Unwrap lets [http.ResponseController] reach what is underneath.
func (n *namingWriter) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// enter is for a request of a session, until leave.
func (o *occupancy) enter(id string, call bool) (leave func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.used[id]
	if of == nil {
		return func() {}
	}
	n := 0
	if call {
		n = 1
	}
	of.calls += n
	of.posts += n
	of.last = time.Now()
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		of.calls -= n
		of.last = time.Now()
	}
}

// begin reports whether there is a place for one more session of a client. It has at
// most three times as many as are free, but for one.
func (o *occupancy) begin(client string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	living := map[string]*mcp.ServerSession{}
	for of := range o.server.mcp.Sessions() {
		living[of.ID()] = of
	}
	maps.DeleteFunc(o.ending, func(id string, _ bool) bool { return living[id] == nil })
	maps.DeleteFunc(o.used, func(id string, _ *use) bool { return living[id] == nil })
	held, all := o.count()
	free := o.most - all
	if of := held[client]; free < 1 || of > 0 && of+1 > 3*free {
		if len(o.ending) > o.most/4 {
			return false // they take their time
		}
		id := o.dispensable(client, held, free >= 1)
		if id == "" {
			return false
		}
		delete(o.used, id)
		o.ending[id] = true
		o.server.end(living[id], errEvicted)
		go func() { _ = living[id].Close() }()
	}
	o.beginning[client]++
	return true
}

// count is how many places each client has, and all have.
func (o *occupancy) count() (held map[string]int, all int) {
	held = maps.Clone(o.beginning)
	for _, of := range o.used {
		held[of.client]++
	}
	for _, n := range held {
		all += n
	}
	return held, all
}

func (o *occupancy) begun(id, client string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.beginning[client]--; o.beginning[client] == 0 {
		delete(o.beginning, client)
	}
	if id != "" {
		o.used[id] = &use{client: client, last: time.Now()}
	}
}

// dispensable is the session that ends for one of a client; empty if none does: one of
// the client itself that is unused, or one of a client that has more, which then need
// not be.
func (o *occupancy) dispensable(client string, held map[string]int, ownOnly bool) (first string) {
	for id, of := range o.used {
		own := of.client == client
		more := held[of.client] > held[client]+1
		idle := of.calls == 0 && time.Since(of.last) >= of.patience()
		if !(own && idle) && (ownOnly || own || !more) {
			continue
		}
		if first == "" || cmp.Or(cmp.Compare(held[o.used[first].client], held[of.client]), of.before(o.used[first])) < 0 {
			first = id
		}
	}
	return first
}
