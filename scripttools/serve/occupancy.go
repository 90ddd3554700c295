package serve

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
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
	beginning int
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

// limitSessions bounds the sessions at once. Those that are about to begin count
// too, for a moment twice.
func (s *Server) limitSessions(most int, next http.Handler) http.Handler {
	o := &occupancy{server: s, most: most, used: map[string]*use{}, ending: map[string]bool{}}
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
			defer func() { o.begun(w.Header().Get(sessionHeader), who(r)) }()
		}
		next.ServeHTTP(w, r)
	})
}

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

// begin reports whether there is a place for one more session of a client.
func (o *occupancy) begin(client string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	living := map[string]*mcp.ServerSession{}
	n := o.beginning
	for of := range o.server.mcp.Sessions() {
		living[of.ID()] = of
		if !o.ending[of.ID()] {
			n++
		}
	}
	maps.DeleteFunc(o.ending, func(id string, _ bool) bool { return living[id] == nil })
	maps.DeleteFunc(o.used, func(id string, _ *use) bool { return living[id] == nil })
	if n >= o.most {
		id := o.dispensable(client)
		if id == "" {
			return false
		}
		delete(o.used, id)
		o.ending[id] = true
		o.server.end(living[id], errEvicted)
		go func() { _ = living[id].Close() }()
	}
	o.beginning++
	return true
}

func (o *occupancy) begun(id, client string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.beginning--
	if id != "" {
		o.used[id] = &use{client: client, last: time.Now()}
	}
}

// dispensable is the session that ends for one of a client; empty if none does. One
// of another client that has more need not be unused.
func (o *occupancy) dispensable(client string) string {
	held := map[string]int{}
	for _, of := range o.used {
		held[of.client]++
	}
	most := 0
	for _, n := range held {
		most = max(most, n)
	}
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(o.used)), func(id string) bool { return held[o.used[id].client] < most })
	if len(ids) == 0 {
		return ""
	}
	first := slices.MinFunc(ids, func(a, b string) int { return o.used[a].before(o.used[b]) })
	of := o.used[first]
	if held[client]+1 >= most && (of.calls > 0 || time.Since(of.last) < of.patience()) {
		return ""
	}
	return first
}
