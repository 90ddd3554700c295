package mcptools

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// maxAnswer bounds one answer over HTTP, in bytes; streams that only listen are
// not answers.
const maxAnswer = 64 << 20

// origin is the part of an address that anybody may see: keys stand in names,
// paths and queries alike.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "its address"
	}
	return u.Scheme + "://" + u.Host
}

// private is an error without the server's address in it, but for its origin.
func (s Server) private(err error) error {
	if s.URL == "" || err == nil {
		return err
	}
	forms := []string{s.URL}
	if u, parsed := url.Parse(s.URL); parsed == nil {
		forms = append(forms, u.String(), u.Redacted(), u.RequestURI())
	}
	text := err.Error()
	for _, form := range forms {
		if len(form) > 1 {
			text = strings.ReplaceAll(text, form, origin(s.URL))
			text = strings.ReplaceAll(text, strings.Trim(fmt.Sprintf("%q", form), `"`), origin(s.URL))
		}
	}
	return &privateError{text: text, err: err}
}

// privateError says less than the error that it stands for.
type privateError struct {
	text string
	err  error
}

// Error implements error.
func (e *privateError) Error() string { return e.text }

// Unwrap gives the whole error, to code.
func (e *privateError) Unwrap() error { return e.err }

// web sends the headers to the server, and to nobody that it redirects to.
type web struct {
	headers map[string]string
	most    atomic.Int64 // bytes of an answer
}

func (s Server) client() *web {
	w := &web{headers: s.Headers}
	w.limit(0)
	return w
}

func (w *web) limit(bytes int64) {
	if bytes == 0 {
		bytes = maxAnswer
	}
	w.most.Store(bytes)
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

var errTooMuch = errors.New("the answer is too large")

// RoundTrip implements [http.RoundTripper].
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost {
		response.Body = &boundedBody{ReadCloser: response.Body, left: w.most.Load(), most: w.most.Load(), of: deliveryOf(r.Context())} //nolint:contextcheck // the request is the library's
	}
	return response, err
}

// boundedBody fails when there is more than there may be.
type boundedBody struct {
	io.ReadCloser
	left, most int64
	of         *delivery
}

// Read implements [io.Reader].
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.of.tooMuch.Store(b.most)
		return 0, errTooMuch
	}
	return n, err
}
