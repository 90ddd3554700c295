package serve

import (
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/time/rate"
)

// rates are the limiters of the clients seen lately.
type rates struct {
	rate  float64
	burst int

	mu      sync.Mutex
	clients map[string]*client
	swept   time.Time
}

type client struct {
	limiter *rate.Limiter
	seen    time.Time
}

const (
	// forget is how long a client must be silent to be treated as new.
	forget     = time.Minute
	maxClients = 10000
)

func limitRate(perSecond float64, next http.Handler) http.Handler {
	if perSecond < 0 {
		return next
	}
	r := &rates{rate: perSecond, burst: max(int(perSecond*2), 1), clients: map[string]*client{}}
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if !r.allow(who(request)) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests; slow down", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, request)
	})
}

// who is the client that sent a request: the user of its token, or else its [network].
func who(r *http.Request) string {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil && info.UserID != "" {
		return "user " + info.UserID
	}
	return "address " + network(r.RemoteAddr).String()
}

func (r *rates) allow(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Sub(r.swept) > forget || len(r.clients) > maxClients {
		for name, c := range r.clients {
			if now.Sub(c.seen) > forget {
				delete(r.clients, name)
			}
		}
		r.swept = now
	}
	c, ok := r.clients[name]
	if !ok {
		if len(r.clients) > maxClients {
			return false // so many addresses at once are taken for one client
		}
		c = &client{limiter: rate.NewLimiter(rate.Limit(r.rate), r.burst)}
		r.clients[name] = c
	}
	c.seen = now
	return c.limiter.AllowN(now, 1)
}
