package egress

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

type plainKey struct{}

// plainFlow is a request under way.
type plainFlow struct {
	*flow
	silence *silence
}

// silence ends a request when nothing has moved for a time.
type silence struct {
	most time.Duration

	mu    sync.Mutex
	timer *time.Timer // nil once the request is over
}

func newSilence(most time.Duration, end func()) *silence {
	return &silence{most: most, timer: time.AfterFunc(most, end)}
}

// broken starts the time anew if n bytes moved, unless it has run out.
func (s *silence) broken(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > 0 && s.timer != nil && s.timer.Stop() {
		s.timer.Reset(s.most)
	}
}

// over ends the watch.
func (s *silence) over() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.timer = nil
}

// plain answers a request for an http:// address.
func (p *Proxy) plain(in *inside, w http.ResponseWriter, r *http.Request) {
	pass := in.pass
	host, port, err := plainTarget(r)
	if err != nil {
		notUnderstood(w, err)
		return
	}
	f := pass.ask(r, host, port, plainPort)
	if !p.list.allows(host, port, plainPort) {
		pass.refuse(f, notListed, keyNetwork)
		http.Error(w, refusedText(f), http.StatusForbidden)
		return
	}
	// The command may have stopped reading: only closing its connection wakes the writer.
	quiet := newSilence(p.silent, func() {
		pass.fail(f, fmt.Sprintf("nothing of it moved for %v", p.silent))
		_ = in.Close()
	})
	defer quiet.over()
	life, stop := context.WithCancel(context.WithValue(r.Context(), plainKey{}, &plainFlow{flow: f, silence: quiet}))
	defer stop()
	defer context.AfterFunc(pass.life, stop)() //nolint:contextcheck // the pass ends it too
	out := r.WithContext(life)
	out.Header = r.Header.Clone()
	out.Header.Del("Upgrade") // what follows would not be a request
	p.forward.ServeHTTP(w, out)
}

// notUnderstood answers and ends the connection: what follows cannot be trusted.
func notUnderstood(w http.ResponseWriter, err error) {
	w.Header().Set("Connection", "close")
	http.Error(w, err.Error(), http.StatusBadRequest)
}

// newForward passes requests on, each on a connection of its own, so that it is counted
// and its address checked.
func (p *Proxy) newForward(quiet *log.Logger) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			f, _ := r.In.Context().Value(plainKey{}).(*plainFlow)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as it was
			r.Out.URL.Host = f.target()
			if r.Out.Host = f.target(); f.port == plainPort {
				r.Out.Host = bracketed(f.host)
			}
		},
		Transport: &http.Transport{
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxResponse,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				f, _ := ctx.Value(plainKey{}).(*plainFlow)
				conn, err := p.connect(insideOf(ctx).pass, f.flow)
				if err != nil {
					return nil, err
				}
				return &counted{Conn: conn, flow: f}, nil
			},
		},
		FlushInterval: -1, // parts of an answer are passed on at once
		ErrorLog:      quiet,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			f, _ := r.Context().Value(plainKey{}).(*plainFlow)
			code, text := notReached(insideOf(r.Context()).pass, f.flow, err)
			http.Error(w, text, code)
		},
	}
}

// notReached records why a listed host was not reached, and words the answer.
func notReached(pass *Pass, f *flow, err error) (code int, text string) {
	var private *dialguard.RefusedError
	if errors.As(err, &private) {
		pass.refuse(f, private.Error(), keyPrivate)
		return http.StatusForbidden, private.Error()
	}
	why := reason(err)
	pass.fail(f, why)
	return http.StatusBadGateway, fmt.Sprintf("%s was not reached: %s", f.target(), why)
}

const notListed = "it is not on the list"

// The keys of [sandbox] that could allow what was refused.
const (
	keyNetwork = "network"
	keyPrivate = "private"
)

// refusedText is the reason that programs print.
func refusedText(f *flow) string {
	return fmt.Sprintf("the sandbox refused the network (%s); see [sandbox] network", f.target())
}

func bracketed(host string) string {
	joined := net.JoinHostPort(host, "")
	return joined[:len(joined)-1]
}

// counted is a connection to another machine.
type counted struct {
	net.Conn
	flow *plainFlow
}

// Read implements [net.Conn].
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.flow.received.Add(int64(n))
	c.flow.silence.broken(n)
	return n, err
}

// Write implements [net.Conn].
func (c *counted) Write(p []byte) (int, error) {
	c.flow.sent.Add(int64(len(p))) // before Write: the pass may be left as soon as it answers
	n, err := c.Conn.Write(p)
	c.flow.sent.Add(int64(n - len(p)))
	c.flow.silence.broken(n)
	return n, err
}
