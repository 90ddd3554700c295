package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// HTTPOptions say who may call, and how much. The zero value is for a listener on
// loopback: no token, no other origin or host.
type HTTPOptions struct {
	// Tokens are bearer tokens, any of which lets a client in. Without Tokens and
	// Verify, everybody who reaches the listener is let in.
	Tokens []string
	// Verify checks tokens instead of Tokens, such as those of an OAuth authorization
	// server. Sessions are bound to the UserID that it returns.
	Verify auth.TokenVerifier
	// Scopes must all be on a token that Verify has checked.
	Scopes []string
	// Resource tells clients without a token which authorization servers issue one (RFC
	// 9728). It is served at /.well-known/oauth-protected-resource. Refusals name
	// MetadataURL, by which clients reach it.
	Resource    *oauthex.ProtectedResourceMetadata
	MetadataURL string
	// Origins are the browser origins that are accepted, such as
	// https://app.example.com, besides those of loopback. A request without an Origin
	// does not come from a browser's page.
	Origins []string
	// Hosts are the names, without ports, by which clients may call the server, besides
	// those of loopback. If it is empty, a client with a token may use any name: a
	// browser sends no token to a name that somebody else has pointed here.
	Hosts []string
	// MaxBodyBytes bounds the body of a request; 0 means 20 MiB, which holds the
	// largest inputs of a run.
	MaxBodyBytes int64
	// MaxTotalBodyBytes bounds the bodies of all requests that are being read or are
	// unanswered; 0 means 256 MiB. A client has at most half of it, or one body.
	// Requests over it get 503. Bodies of up to 64 KiB share 64 MiB of their own in the
	// same way.
	MaxTotalBodyBytes int64
	// BodyTimeout bounds how long a client may take to send a body; 0 means 30 seconds.
	// A client that takes more than 5 seconds for 64 KiB of it, or for the rest, is cut
	// off sooner.
	BodyTimeout time.Duration
	// Rate is how many requests per second a client may send, counted by its token or
	// else its address; it may send those of two seconds at once. 0 means 100, and a
	// negative rate means no limit.
	Rate float64
	// MaxSessions bounds the sessions open at once; 0 means 256.
	MaxSessions int
	// SessionTimeout ends a session that has been idle for that long; 0 means 30
	// minutes.
	SessionTimeout time.Duration
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = 20 << 20
	}
	if o.MaxTotalBodyBytes == 0 {
		o.MaxTotalBodyBytes = 256 << 20
	}
	if o.BodyTimeout == 0 {
		o.BodyTimeout = 30 * time.Second
	}
	if o.Rate == 0 {
		o.Rate = 100
	}
	if o.MaxSessions == 0 {
		o.MaxSessions = 256
	}
	if o.SessionTimeout == 0 {
		o.SessionTimeout = 30 * time.Minute
	}
	return o
}

func (o HTTPOptions) verifier() auth.TokenVerifier {
	if o.Verify != nil || len(o.Tokens) == 0 {
		return o.Verify
	}
	var sums [][sha256.Size]byte
	for _, token := range o.Tokens {
		sums = append(sums, sha256.Sum256([]byte(token)))
	}
	return func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		sum := sha256.Sum256([]byte(token))
		known := 0
		for i := range sums { // all of them, so that the time does not tell which
			known |= subtle.ConstantTimeCompare(sum[:], sums[i][:])
		}
		if known == 0 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: hex.EncodeToString(sum[:8])}, nil
	}
}

// Handler serves clients over streamable HTTP at /mcp, and answers ok at /healthz. Each
// handler counts its own rates and sessions.
func (s *Server) Handler(options HTTPOptions) http.Handler {
	o := options.withDefaults()
	replays := newReplays(maxReplayBytes) // for clients that have lost their connection
	var endpoint http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		SessionTimeout: o.SessionTimeout, MaxRequestBodyBytes: o.MaxBodyBytes, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // hosts are checked below
		EventStore:                 replays,
	})
	endpoint = s.limitSessions(o.MaxSessions, endpoint) // guard has read the body
	endpoint = s.guard(o, replays, endpoint)
	endpoint = limitRate(o.Rate, endpoint)
	verify := o.verifier()
	if verify != nil {
		endpoint = auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
			Scopes: o.Scopes, ResourceMetadataURL: o.MetadataURL, AllowMissingExpiration: true,
		})(endpoint)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", endpoint)
	if o.Resource != nil {
		mux.Handle("/.well-known/oauth-protected-resource", auth.ProtectedResourceMetadataHandler(o.Resource))
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	})
	return logged(s.log, checkNames(o, verify != nil, mux))
}

// checkNames refuses requests that a page made a browser send: a page of another
// origin, or of a name that its owner has pointed at this machine.
func checkNames(o HTTPOptions, authenticated bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostname(r.Host)
		if !isLoopback(host) && !slices.Contains(o.Hosts, host) && (len(o.Hosts) > 0 || !authenticated) {
			http.Error(w, "the host "+quoted(r.Host)+" is not one of this server's", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(o.Origins, origin) {
			if u, err := url.Parse(origin); err != nil || !isLoopback(u.Hostname()) {
				http.Error(w, "the origin "+quoted(origin)+" is not allowed here", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func quoted(text string) string { return `"` + harmless(text) + `"` }

// harmless makes a stranger's text fit for a log.
func harmless(text string) string {
	if len(text) > 100 {
		text = text[:100] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r > '~' && r != '…' {
			return '?'
		}
		return r
	}, text)
}

// logged gives each request an ID and logs how it ended.
func logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		r.Header.Set(requestHeader, id)
		counted := &countingWriter{ResponseWriter: w, control: http.NewResponseController(w)}
		began := time.Now()
		defer func() {
			counted.hurry() // for what is still to be written
			counted.end()
			log.Info("request", "id", id, "method", r.Method, "path", harmless(r.URL.Path), "status", counted.status(),
				"from", r.RemoteAddr, "session", harmless(r.Header.Get("Mcp-Session-Id")), "took", time.Since(began))
		}()
		next.ServeHTTP(counted, r)
	})
}

// countingWriter remembers the status, and gives up on a client that does not read.
type countingWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	code    int
	short   atomic.Bool

	mu      sync.Mutex
	over    bool      // the handler has returned: the connection must not be touched
	offered time.Time // when the current readPace bytes began, moved by pauses; zero before the first
	taken   int       // bytes of these
	pause   time.Time // when the last write ended; zero during one
}

const (
	// writePiece is how much is written at once, to see how fast a client reads.
	writePiece = 64 << 10
	// readPace is how much a client must read within [overstay] if others wait.
	readPace = 4 << 20
)

// takingOf returns when a client began to read its current readPace bytes, not counting
// pauses; zero if nothing was written to it.
func takingOf(w http.ResponseWriter) func() time.Time {
	counted, ok := w.(*countingWriter)
	if !ok {
		return func() time.Time { return longAgo }
	}
	return func() time.Time {
		counted.mu.Lock()
		defer counted.mu.Unlock()
		if counted.offered.IsZero() || counted.pause.IsZero() {
			return counted.offered
		}
		return counted.offered.Add(time.Since(counted.pause))
	}
}

// offer notes that a write begins. The pause before it is not the client's delay.
func (w *countingWriter) offer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch now := time.Now(); {
	case w.offered.IsZero():
		w.offered = now
	case !w.pause.IsZero():
		w.offered = w.offered.Add(now.Sub(w.pause))
	}
	w.pause = time.Time{}
}

// took counts the bytes that the client has read.
func (w *countingWriter) took(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.taken += bytes; w.taken >= readPace {
		w.taken, w.offered = 0, time.Now()
	}
}

// rest notes that the write has ended.
func (w *countingWriter) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pause = time.Now()
}

// cutter returns a function that ends all writes to a client, now and later.
func cutter(w http.ResponseWriter) func() {
	counted, ok := w.(*countingWriter)
	if !ok {
		return func() {}
	}
	return func() {
		counted.mu.Lock()
		defer counted.mu.Unlock()
		if !counted.over {
			counted.short.Store(true)
			_ = counted.control.SetWriteDeadline(longAgo) // not every connection has deadlines
		}
	}
}

var longAgo = time.Unix(1, 0)

// writeTimeout is how long a client may take to read a piece of an answer.
const writeTimeout = 30 * time.Second

// hurry bounds the next write, if the connection has deadlines.
func (w *countingWriter) hurry() {
	until := time.Now().Add(writeTimeout)
	_ = w.control.SetWriteDeadline(until)
	if w.short.Load() { // perhaps since a moment ago
		_ = w.control.SetWriteDeadline(longAgo)
	}
}

// WriteHeader implements [http.ResponseWriter].
func (w *countingWriter) WriteHeader(code int) {
	if w.code == 0 {
		w.code = code
	}
	w.hurry()
	w.ResponseWriter.WriteHeader(code)
}

// Write implements [http.ResponseWriter].
func (w *countingWriter) Write(p []byte) (written int, err error) {
	w.offer()
	defer w.rest()
	for len(p) > 0 && err == nil {
		w.hurry()
		var n int
		n, err = w.ResponseWriter.Write(p[:min(writePiece, len(p))])
		written += n
		p = p[n:]
		w.took(n)
	}
	return written, err
}

func (w *countingWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}

func (w *countingWriter) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}

// Unwrap lets [http.ResponseController] flush the writer underneath.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements [http.Flusher].
func (w *countingWriter) Flush() {
	w.hurry()
	_ = w.control.Flush()
}
