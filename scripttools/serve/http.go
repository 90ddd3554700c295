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

// HTTPOptions say who may ask, and how much. The zero value is for a listener
// on loopback: no token, no other origin or host.
type HTTPOptions struct {
	// Tokens are bearer tokens, any of which lets a client in. With none, and no
	// Verify, everybody is let in who reaches the listener.
	Tokens []string
	// Verify checks tokens in place of Tokens, such as those of an OAuth
	// authorization server. Sessions are bound to the UserID that it returns.
	Verify auth.TokenVerifier
	// Scopes must all be on a token that Verify has checked.
	Scopes []string
	// Resource tells clients without a token which authorization servers give
	// one (RFC 9728): it is served at /.well-known/oauth-protected-resource, and
	// MetadataURL, by which clients reach that, is in what they are answered.
	Resource    *oauthex.ProtectedResourceMetadata
	MetadataURL string
	// Origins are those that browsers may send, such as https://app.example.com,
	// besides those of loopback. Requests without an Origin are not a browser's.
	Origins []string
	// Hosts are names, without ports, by which the server may be called, besides
	// those of loopback. Empty allows every name to a client with a token, for
	// tokens are not sent to names that somebody else has pointed here.
	Hosts []string
	// MaxBodyBytes bounds a request; 0 means 20 MiB, which holds the largest
	// inputs of a run.
	MaxBodyBytes int64
	// MaxTotalBodyBytes bounds the bodies of all requests together that are being
	// read or are not answered; 0 means 256 MiB. A client has at most half of it, or
	// one body. Over it, requests get 503. Those of up to 64 KiB have 64 MiB of their
	// own, shared in the same way.
	MaxTotalBodyBytes int64
	// BodyTimeout bounds how long a client may take to send a body; 0 means 30
	// seconds. A client that takes more than 5 seconds for 64 KiB of it, or for the
	// rest, is given up before that.
	BodyTimeout time.Duration
	// Rate is how many requests a second a client may send, by its token or else
	// its address, with as many at once as in two seconds; 0 means 100, and a
	// negative rate does not limit.
	Rate float64
	// MaxSessions bounds the sessions at once; 0 means 256.
	MaxSessions int
	// SessionTimeout ends a session that is idle for so long; 0 means 30 minutes.
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
		for i := range sums { // all of them, whichever it is
			known |= subtle.ConstantTimeCompare(sum[:], sums[i][:])
		}
		if known == 0 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: hex.EncodeToString(sum[:8])}, nil
	}
}

// Handler serves clients over streamable HTTP at /mcp, and says at /healthz
// that it is there. Each handler counts rates and sessions of its own.
func (s *Server) Handler(options HTTPOptions) http.Handler {
	o := options.withDefaults()
	replays := newReplays(maxReplayBytes) // a client that lost its connection hears the rest
	var endpoint http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		SessionTimeout: o.SessionTimeout, MaxRequestBodyBytes: o.MaxBodyBytes, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // hosts are checked below
		EventStore:                 replays,
	})
	endpoint = s.limitSessions(o.MaxSessions, endpoint) // whose bodies are there
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

// checkNames refuses what a browser was made to send: a page of another origin,
// or of a name that its owner has pointed at this machine.
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

// harmless is text of a stranger, for a log.
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

// logged gives each request an identity, and writes it down with what became
// of it.
func logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		r.Header.Set(requestHeader, id)
		counted := &countingWriter{ResponseWriter: w, control: http.NewResponseController(w)}
		began := time.Now()
		defer func() {
			counted.hurry() // what is still to be written
			counted.end()
			log.Info("request", "id", id, "method", r.Method, "path", harmless(r.URL.Path), "status", counted.status(),
				"from", r.RemoteAddr, "session", harmless(r.Header.Get("Mcp-Session-Id")), "took", time.Since(began))
		}()
		next.ServeHTTP(counted, r)
	})
}

// countingWriter remembers the status, and gives up on a client that does not
// take what is written to it.
type countingWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	code    int
	short   atomic.Bool

	mu      sync.Mutex
	over    bool      // the handler has returned: nothing may be done to the connection
	offered time.Time // since when the client has been offered more than it takes, but for pauses
	taken   int       // bytes since then
	pause   time.Time // since when it has been offered nothing; zero while it is
}

const (
	// writePiece is how much is written at once, to see what a client takes.
	writePiece = 64 << 10
	// readPace is what a client takes within [overstay], if others wait.
	readPace = 4 << 20
)

// takingOf tells since when a client has been offered more than it takes, but for
// pauses; zero where it has been offered nothing.
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

// offer notes that bytes are about to be written. A pause before is nobody's delay.
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

// took notes that bytes were taken.
func (w *countingWriter) took(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.taken += bytes; w.taken >= readPace {
		w.taken, w.offered = 0, time.Now()
	}
}

// rest notes that there is nothing to be written for now.
func (w *countingWriter) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pause = time.Now()
}

// cutter ends what is written to a client, now and from now on.
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
			_ = counted.control.SetWriteDeadline(longAgo) // not every connection can
		}
	}
}

var longAgo = time.Unix(1, 0)

// writeTimeout is how long a client may take to take a piece of an answer.
const writeTimeout = 30 * time.Second

// hurry bounds the next write. Not every connection can.
func (w *countingWriter) hurry() {
	until := time.Now().Add(writeTimeout)
	_ = w.control.SetWriteDeadline(until)
	if w.short.Load() { // now, or a moment ago
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

// Unwrap lets http.ResponseController flush what is underneath.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements [http.Flusher].
func (w *countingWriter) Flush() {
	w.hurry()
	_ = w.control.Flush()
}
