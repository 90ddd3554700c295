package mcptools

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxAnswer bounds what is read of one answer over HTTP, in bytes.
	maxAnswer = maxLine
	// maxHeader bounds the headers of an answer, in bytes.
	maxHeader = 64 << 10
	// replyTime is how long a server may take to accept a reply to a request of its
	// own.
	replyTime = 10 * time.Second
)

// web talks to a server over HTTP. Headers are sent to the server alone, not to where
// it redirects. What it reads is bounded and screened.
type web struct {
	headers map[string]string
	most    atomic.Int64 // bytes of an answer
	below   *http.Transport

	life     context.Context // of all requests
	cancel   context.CancelFunc
	replies  *replies
	replying sync.Once
	to       *http.Request // whose headers replies have; set once
}

func (s Server) client() *web {
	w := &web{headers: s.Headers, below: &http.Transport{Proxy: http.ProxyFromEnvironment}}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		w.below = usual.Clone()
	}
	w.below.MaxResponseHeaderBytes = maxHeader
	w.replies = newReplies(s.note)
	w.life, w.cancel = context.WithCancel(context.Background()) // until end
	w.limit(0)
	return w
}

func (w *web) limit(bytes int64) {
	if bytes == 0 {
		bytes = maxAnswer
	}
	w.most.Store(bytes)
}

// end ends all requests that are under way.
func (w *web) end() {
	w.cancel()
	w.below.CloseIdleConnections()
}

// transport lets the library send requests only: it opens no stream to listen to, and
// does not resume one.
func (w *web) transport(url string) mcp.Transport {
	return &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: w.client(), MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: 2 * maxAnswer,
	}
}

func (w *web) client() *http.Client {
	return &http.Client{
		Transport: w,
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if first := before[0].URL; next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || len(before) > 5 {
				return fmt.Errorf("it redirects to an address of %s; name that as its url", origin(next.URL.String()))
			}
			return nil
		},
	}
}

// RoundTrip implements [http.RoundTripper].
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context()) //nolint:contextcheck // the request is the library's
	keep := context.AfterFunc(w.life, cancel)      //nolint:contextcheck // the session ends it too
	r = r.Clone(ctx)
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	response, err := w.below.RoundTrip(r)
	if err != nil {
		keep()
		cancel()
		return nil, err
	}
	most := w.most.Load()
	response.Body = w.screened(r, response, &boundedBody{ //nolint:contextcheck // replies are of the session
		ReadCloser: response.Body, left: most, most: most, of: deliveryOf(ctx),
		release: func() { keep(); cancel() },
	})
	return response, nil
}

// reply queues a reply, to be sent with the headers of a request.
func (w *web) reply(r *http.Request, text []byte) error {
	w.replying.Do(func() {
		w.to = r
		go w.sendReplies()
	})
	return w.replies.put(text)
}

// sendReplies sends replies one by one.
func (w *web) sendReplies() {
	for {
		select {
		case <-w.life.Done():
			return
		case text := <-w.replies.waiting:
			w.sendReply(text)
		}
	}
}

// sendReply sends a reply, and ignores what the server makes of it.
func (w *web) sendReply(text []byte) {
	ctx, cancel := context.WithTimeout(w.life, replyTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.to.URL.String(), bytes.NewReader(text))
	if err != nil {
		return
	}
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version"} {
		if value := w.to.Header.Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if response, err := w.below.RoundTrip(r); err == nil {
		_ = response.Body.Close() // it is not read
	}
}
