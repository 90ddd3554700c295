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

// occupancy knows which client has which sessions, and when each was last used. Their
// number is bounded: for a new one, an unused one of the client that has most may have
// to end.
type occupancy struct {
	server *Server
	most   int

	mu        sync.Mutex
	beginning map[string]int // each client's requests that have no session, or not yet
	used      map[string]*use
	ending    map[string]bool // sessions that were ended for others, until they are gone
}

// use is what is known of a session.
type use struct {
	client string
	calls  int // requests under way, except streams that only listen
	posts  int // requests so far, likewise
	last   time.Time
}

// A session may be ended for another one of its client once it has had no request for
// that long: unusedEver if it has had none since it began.
const (
	unused     = 5 * time.Minute
	unusedEver = 10 * time.Second
)

// patience is how long a session must be unused before it may end for another of its
// client.
func (u *use) patience() time.Duration {
	if u.posts <= 1 { // only the one that ends its beginning
		return unusedEver
	}
	return unused
}

// before compares which of two sessions ends first.
func (u *use) before(other *use) int {
	return cmp.Or(
		cmp.Compare(min(u.calls, 1), min(other.calls, 1)),
		cmp.Compare(min(u.posts, 2)/2, min(other.posts, 2)/2),
		u.last.Compare(other.last))
}

var errEvicted = errors.New("there are too many sessions, and this one was unused for longest")

// limitSessions bounds the sessions open at once, and with them the requests that have
// none: each of those begins one, or stands alone.
func (s *Server) limitSessions(most int, next http.Handler) http.Handler {
	o := &occupancy{server: s, most: most, used: map[string]*use{}, beginning: map[string]int{}, ending: map[string]bool{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch id := r.Header.Get(sessionHeader); {
		case id != "":
			defer o.enter(id, r.Method != http.MethodGet)()
		case r.Method == http.MethodPost && s.options.Runner.Closed():
			w.Header().Set("Retry-After", "10")
			http.Error(w, errEnding.Error()+"; try again once it runs", http.StatusServiceUnavailable)
			return
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

// namingWriter reports which session an answer begins, once, and before its client
// knows.
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

// Unwrap lets [http.ResponseController] reach the writer underneath.
func (n *namingWriter) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// enter notes a request of a session, and leave its end.
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

// begin reserves a place for one more session of a client and reports whether there is
// one. A client has at most three times as many as are free, except its first.
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
			return false // too many are still ending
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

// count counts the places of each client, and all of them.
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

// dispensable is the session to end for a new one of client; empty if there is none. It
// is one of the client itself that is unused, or any one of a client that has more.
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
