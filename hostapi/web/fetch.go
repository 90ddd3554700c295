package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// Fetch is the tool fetch. The zero value reaches every public host that a
// rule grants. It is safe for concurrent use; its fields must not change after
// the first call.
type Fetch struct {
	// Hosts are the only hosts that rules can allow: names, or *.name for all
	// subdomains, each with :port or without. Empty means every public host.
	Hosts []string
	// Private are hosts in private networks, or on this machine, that may be asked:
	// names or addresses, with :port or without, and networks such as 10.1.0.0/16.
	Private []string
	// MaxBytes is the largest body; 0 means 4 MiB. A larger one is an error.
	MaxBytes int64
	// Timeout is for a request with its redirects and its body; 0 means 30 seconds.
	// A call can lower it.
	Timeout time.Duration

	resolver  *net.Resolver // for tests
	once      sync.Once
	transport *http.Transport
}

const (
	defaultBytes = 4 << 20
	defaultTime  = 30 * time.Second
	maxHeaders   = 64 << 10
)

// Name implements [hostapi.Tool].
func (f *Fetch) Name() string { return "fetch" }

// Describe implements [hostapi.Describer].
func (f *Fetch) Describe() hostapi.Description {
	return hostapi.Description{
		Summary: "Sends an HTTP request and reads the whole answer; the status may be any.",
		Effect:  hostapi.EffectNetwork,
		Data:    "{status, url, headers, body}, and encoding, base64, where the body is not UTF-8",
		Subject: "scheme, host, port and path of each address, redirects too",
		Checked: true,
		Input: json.RawMessage(`{"type":"object","required":["url"],"additionalProperties":false,"properties":{
			"url":{"type":"string","minLength":1,"maxLength":8192,"description":"the address"},
			"method":{"enum":["GET","HEAD","POST","PUT","PATCH","DELETE","OPTIONS"],"description":"GET if it is left out"},
			"headers":{"type":"object","description":"headers to send","additionalProperties":{"type":"string"}},
			"body":{"type":"string","description":"the text to send"},
			"timeoutMs":{"type":"integer","minimum":1,"description":"milliseconds after which it is ended"}}}`),
	}
}

// Validate implements [hostapi.Validator].
func (f *Fetch) Validate() error {
	if f.MaxBytes < 0 || f.Timeout < 0 {
		return errors.New("limits are not negative")
	}
	for _, host := range f.Hosts {
		if _, err := dialguard.ParsePattern(host); err != nil {
			return err
		}
	}
	_, err := dialguard.ParsePrivate(f.Private)
	return err
}

type arguments struct {
	URL       string            `json:"url"`
	Method    string            `json:"method,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      string            `json:"body,omitempty"`
	TimeoutMs int64             `json:"timeoutMs,omitempty"`
}

// Check implements [hostapi.Checker].
func (f *Fetch) Check(raw json.RawMessage) error {
	var args arguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return err
	}
	seen := map[string]bool{}
	for name := range args.Headers {
		canonical := http.CanonicalHeaderKey(name)
		if seen[canonical] {
			return fmt.Errorf("the header %s is there twice, in two spellings; give one", canonical)
		}
		seen[canonical] = true
		switch canonical {
		case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection":
			return fmt.Errorf("scripts cannot set the header %s", name)
		}
	}
	return nil
}

// answer is the data of a result.
type answer struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	// Encoding is base64 for a body that is not text.
	Encoding string `json:"encoding,omitempty"`
}

// Invoke implements [hostapi.Tool].
func (f *Fetch) Invoke(ctx context.Context, call hostapi.Call) (hostapi.Result, error) {
	f.once.Do(f.prepare)
	var args arguments
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return hostapi.Fail("arguments: " + err.Error()), nil
	}
	target, err := f.target(call, args)
	if err != nil {
		return hostapi.Fail(err.Error()), nil
	}
	limit := defaultTime
	if f.Timeout > 0 {
		limit = f.Timeout
	}
	if asked := time.Duration(min(args.TimeoutMs, limit.Milliseconds())) * time.Millisecond; asked > 0 {
		limit = asked
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	first := hop{method: cmp.Or(args.Method, http.MethodGet), target: target, body: args.Body, headers: args.Headers}
	answered, err := f.ask(limited, call, first)
	switch {
	case err == nil:
		return answered.result(ctx)
	case ctx.Err() != nil:
		return hostapi.Result{}, ctx.Err()
	case limited.Err() != nil:
		return hostapi.Fail(fmt.Sprintf("%s did not answer whole within %v", target.Host, limit)), nil
	}
	return hostapi.Fail(sentence(err)), nil
}

// target is the address of the first request: the planned one, if there is a plan.
func (f *Fetch) target(call hostapi.Call, args arguments) (*url.URL, error) {
	if decided, ok := call.Plan.(address); ok {
		return decided.url, f.checkHost(decided.url)
	}
	u, err := parse(args.URL)
	if err != nil {
		return nil, err
	}
	return u, f.checkHost(u)
}

var errTimeout = errors.New("it took too long")

// sentence is an error without the words that the library adds.
func sentence(err error) string {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.Error()
	}
	var private *dialguard.RefusedError
	if errors.As(err, &private) {
		return private.Error()
	}
	var unknown *net.DNSError
	var broken *net.OpError
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return fmt.Sprintf("there is no host called %s", unknown.Name)
	case errors.As(err, &unknown):
		return fmt.Sprintf("the address of %s could not be looked up; try again later", unknown.Name)
	case errors.As(err, &broken) && broken.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing answers at %v: the connection was refused", broken.Addr)
	case errors.As(err, &broken) && broken.Op == "dial" && broken.Addr != nil:
		return fmt.Sprintf("%v cannot be reached: %v", broken.Addr, broken.Err)
	}
	return err.Error()
}

// ask makes a request and follows its redirects.
func (f *Fetch) ask(ctx context.Context, call hostapi.Call, at hop) (*whole, error) {
	for followed := 0; ; followed++ {
		response, err := f.send(ctx, at)
		if err != nil && followed > 0 {
			err = refuse("it redirects to %s: %s", shown(at.target), sentence(err))
		}
		if err != nil {
			return nil, err
		}
		location := response.Header.Get("Location")
		if !redirects(response.StatusCode) || location == "" {
			return f.read(response, at.target)
		}
		_, _ = io.CopyN(io.Discard, response.Body, 2<<10) // so that the connection can be used again
		_ = response.Body.Close()
		if followed == maxRedirects {
			return nil, refuse("there were more than %d redirects, the last one at %s", maxRedirects, shown(at.target))
		}
		if at, err = at.follow(response.StatusCode, location); err != nil {
			return nil, err
		}
		if err := f.permit(ctx, call, at); err != nil {
			return nil, refuse("it redirects to %s: %v", shown(at.target), err)
		}
	}
}

// permit decides on a redirect as on a request.
func (f *Fetch) permit(ctx context.Context, call hostapi.Call, at hop) error {
	if err := f.checkHost(at.target); err != nil {
		return err
	}
	raw, err := json.Marshal(arguments{URL: at.target.String(), Method: at.method, Headers: at.headers, Body: at.body})
	if err != nil {
		return err
	}
	return call.Permit(ctx, raw)
}

// send makes one request, with only the headers of its hop.
func (f *Fetch) send(ctx context.Context, at hop) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, at.method, at.target.String(), strings.NewReader(at.body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "scriptrun")
	for name, value := range at.headers {
		request.Header.Set(name, value)
	}
	return f.transport.RoundTrip(request)
}

// read reads a whole response.
func (f *Fetch) read(response *http.Response, target *url.URL) (*whole, error) {
	defer func() { _ = response.Body.Close() }() // it has been read
	limit := cmp.Or(f.MaxBytes, defaultBytes)
	if response.ContentLength > limit && response.Request.Method != http.MethodHead {
		return nil, refuse("the body is %d bytes; at most %d are accepted", response.ContentLength, limit)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		return nil, refuse("the body is longer than %d bytes, the most that is accepted", limit)
	}
	return &whole{response, target, body}, nil
}

// whole is a response that was read.
type whole struct {
	response *http.Response
	target   *url.URL
	body     []byte
}

// result is the answer as a result, once it is its turn.
func (w *whole) result(ctx context.Context) (hostapi.Result, error) {
	if _, err := hostapi.Turn(ctx, int64(len(w.body))); err != nil {
		return hostapi.Result{}, err
	}
	a := answer{Status: w.response.StatusCode, URL: w.target.String(), Headers: map[string]string{}, Body: string(w.body)}
	for name, values := range w.response.Header {
		a.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if !utf8.Valid(w.body) {
		a.Body, a.Encoding = base64.StdEncoding.EncodeToString(w.body), "base64"
	}
	return hostapi.Succeed(a.Body).WithData(a), nil
}

// refusal is an error that needs no other words.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// prepare makes the transport. There is no http.Client: it would send a Referer, and
// copy headers to redirects.
func (f *Fetch) prepare() {
	private, _ := dialguard.ParsePrivate(f.Private) // Validate has seen them
	dialer := &dialguard.Dialer{Private: private, Setting: "[fetch] private", Resolver: f.resolver}
	f.transport = &http.Transport{
		DialContext: dialer.DialContext, MaxResponseHeaderBytes: maxHeaders, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		// no Proxy: it would resolve names itself
	}
}

// Close closes idle connections.
func (f *Fetch) Close() error {
	f.once.Do(f.prepare)
	f.transport.CloseIdleConnections()
	return nil
}
