package web

import (
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
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
)

// Fetch is the tool fetch. The zero value reaches every public host that a
// rule grants. It is safe for concurrent use; its fields must not change after
// the first call.
type Fetch struct {
	// Hosts are those that may be asked, whatever rules say: names, *.name for
	// all below one, either with :port. Empty means every public host.
	Hosts []string
	// Private are hosts of private networks, or of this machine, that may be
	// asked: names or addresses as URLs have them, either with :port, and
	// networks such as 10.1.0.0/16.
	Private []string
	// MaxBytes bounds a body; 0 means 4 MiB. A longer one is refused whole.
	MaxBytes int64
	// Timeout bounds a request with its redirects and its body; 0 means 30
	// seconds. A call can lower it.
	Timeout time.Duration

	resolver *net.Resolver // for tests
	once     sync.Once
	client   *http.Client
}

const (
	defaultBytes = 4 << 20
	defaultTime  = 30 * time.Second
	maxRedirects = 5
	maxHeaders   = 64 << 10
)

// Name implements [hostapi.Tool].
func (f *Fetch) Name() string { return "fetch" }

// Describe implements [hostapi.Describer].
func (f *Fetch) Describe() hostapi.Description {
	return hostapi.Description{
		Summary: "Sends an HTTP request and reads the whole answer; the status may be any.",
		Effect:  hostapi.EffectNetwork,
		Checked: true,
		Input: json.RawMessage(`{"type":"object","required":["url"],"additionalProperties":false,"properties":{
			"url":{"type":"string","minLength":1,"maxLength":8192},
			"method":{"enum":["GET","HEAD","POST","PUT","PATCH","DELETE","OPTIONS"]},
			"headers":{"type":"object","additionalProperties":{"type":"string"}},
			"body":{"type":"string"},
			"timeoutMs":{"type":"integer","minimum":1}}}`),
	}
}

// Validate implements [hostapi.Validator].
func (f *Fetch) Validate() error {
	if f.MaxBytes < 0 || f.Timeout < 0 {
		return errors.New("limits are not negative")
	}
	for _, host := range f.Hosts {
		if err := checkHostPattern(host); err != nil {
			return err
		}
	}
	_, err := parsePrivate(f.Private)
	return err
}

type arguments struct {
	URL       string            `json:"url"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	Body      string            `json:"body"`
	TimeoutMs int64             `json:"timeoutMs"`
}

// Check implements [hostapi.Checker].
func (f *Fetch) Check(raw json.RawMessage) error {
	var args arguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return err
	}
	for name := range args.Headers {
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection":
			return fmt.Errorf("the header %s is not a script's to set", name)
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
	target, err := parse(args.URL)
	if err == nil {
		err = f.checkHost(target)
	}
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
	result, err := f.ask(limited, call, target, args)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return hostapi.Result{}, ctx.Err()
	case limited.Err() != nil:
		return hostapi.Fail(fmt.Sprintf("%s did not answer whole within %v", target.Host, limit)), nil
	}
	return hostapi.Fail(plain(err)), nil
}

var errTimeout = errors.New("it took too long")

// plain is an error without what the library puts around it.
func plain(err error) string {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.Error()
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err.Error()
	}
	return err.Error()
}

func (f *Fetch) ask(ctx context.Context, call hostapi.Call, target *url.URL, args arguments) (hostapi.Result, error) {
	method := args.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(context.WithValue(ctx, callKey{}, &asked{call, args}), method, target.String(), strings.NewReader(args.Body))
	if err != nil {
		return hostapi.Result{}, err
	}
	request.Header.Set("User-Agent", "scriptrun")
	for name, value := range args.Headers {
		request.Header.Set(name, value)
	}
	response, err := f.client.Do(request)
	if err != nil {
		return hostapi.Result{}, err
	}
	defer func() { _ = response.Body.Close() }() // it has been read
	limit := f.MaxBytes
	if limit == 0 {
		limit = defaultBytes
	}
	if response.ContentLength > limit {
		return hostapi.Result{}, refuse("the body is %d bytes; at most %d are taken", response.ContentLength, limit)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return hostapi.Result{}, err
	}
	if int64(len(body)) > limit {
		return hostapi.Result{}, refuse("the body is longer than %d bytes, which is all that is taken", limit)
	}
	a := answer{Status: response.StatusCode, URL: response.Request.URL.Redacted(), Headers: map[string]string{}, Body: string(body)}
	for name, values := range response.Header {
		a.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if !utf8.Valid(body) {
		a.Body, a.Encoding = base64.StdEncoding.EncodeToString(body), "base64"
	}
	return hostapi.Succeed(a.Body).WithData(a), nil
}

// refusal is an error that says all there is to say.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// asked is what a request was made for; its redirects are decided by it.
type asked struct {
	call hostapi.Call
	args arguments
}

type callKey struct{}

func (f *Fetch) prepare() {
	private, _ := parsePrivate(f.Private) // Validate has seen them
	dialer := &guardedDialer{private: private, resolver: f.resolver}
	f.client = &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.dial, MaxResponseHeaderBytes: maxHeaders, TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
			// no Proxy: a proxy of the environment would resolve names itself
		},
		CheckRedirect: f.redirect,
	}
}

// redirect decides a redirect like the request that led to it.
func (f *Fetch) redirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return refuse("there were more than %d redirects", maxRedirects)
	}
	origin, ok := next.Context().Value(callKey{}).(*asked)
	if !ok {
		return refuse("a redirect of nobody's request")
	}
	target, err := parse(next.URL.String())
	if err == nil {
		err = f.checkHost(target)
	}
	if err != nil {
		return refuse("it redirects to %s: %v", next.URL.Redacted(), err)
	}
	if before[len(before)-1].URL.Scheme == "https" && target.Scheme != "https" {
		return refuse("it redirects from https to %s, where anybody could listen", next.URL.Redacted())
	}
	args := origin.args
	args.URL = target.String()
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if next.URL.Host != before[len(before)-1].URL.Host { // what was said to one is not for another
		for name := range origin.args.Headers {
			next.Header.Del(name)
		}
	}
	if origin.call.Permit == nil {
		return refuse("it redirects to %s, and nobody can say whether that is allowed", next.URL.Redacted())
	}
	if err := origin.call.Permit(next.Context(), raw); err != nil {
		return refuse("it redirects to %s: %v", next.URL.Redacted(), err)
	}
	return nil
}

// Close lets go of connections that are kept open.
func (f *Fetch) Close() error {
	f.once.Do(f.prepare)
	f.client.CloseIdleConnections()
	return nil
}
