package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/files"
	"github.com/scriptrun/scriptrun/hostapi/shell"
	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// listen serves a bench, and closes with the test.
func (b *bench) listen(t *testing.T, options serve.HTTPOptions) *httptest.Server {
	t.Helper()
	web := httptest.NewServer(b.server.Handler(options))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return web
}

// post sends a request as a client does; changes are headers, Host among them.
func post(t *testing.T, web *httptest.Server, body string, changes map[string]string) (status int, headers http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range changes {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	response, err := web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(all)
}

func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	token := strings.Repeat("s", 32)
	open := b.listen(t, serve.HTTPOptions{})
	closed := b.listen(t, serve.HTTPOptions{Tokens: []string{"another one of them", token}, Origins: []string{"https://app.example.com"}})
	named := b.listen(t, serve.HTTPOptions{Tokens: []string{token}, Hosts: []string{"tools.example.com"}})
	small := b.listen(t, serve.HTTPOptions{MaxBodyBytes: 200})
	slow := b.listen(t, serve.HTTPOptions{Rate: 0.001})
	bearer := "Bearer " + token
	for name, c := range map[string]struct {
		web     *httptest.Server
		headers map[string]string
		want    int
	}{
		"nobody in particular":         {open, nil, 200},
		"a page of this machine":       {open, map[string]string{"Origin": "http://localhost:3000"}, 200},
		"a page of elsewhere":          {open, map[string]string{"Origin": "https://evil.example"}, 403},
		"a page of nowhere":            {open, map[string]string{"Origin": "null"}, 403},
		"a name pointed here":          {open, map[string]string{"Host": "evil.example"}, 403},
		"a name that looks like it":    {open, map[string]string{"Host": "localhost.evil.example:80"}, 403},
		"an address by another name":   {open, map[string]string{"Host": "[::1]:80"}, 200},
		"no token":                     {closed, nil, 401},
		"a wrong token":                {closed, map[string]string{"Authorization": "Bearer " + token[1:]}, 401},
		"a token of another kind":      {closed, map[string]string{"Authorization": "Basic " + token}, 401},
		"the token":                    {closed, map[string]string{"Authorization": bearer}, 200},
		"a page that may":              {closed, map[string]string{"Authorization": bearer, "Origin": "https://app.example.com"}, 200},
		"a page with a token":          {closed, map[string]string{"Authorization": bearer, "Origin": "https://evil.example"}, 403},
		"a name, with the token":       {closed, map[string]string{"Authorization": bearer, "Host": "any.example"}, 200},
		"a name that it goes by":       {named, map[string]string{"Authorization": bearer, "Host": "tools.example.com:443"}, 200},
		"a name that it does not":      {named, map[string]string{"Authorization": bearer, "Host": "other.example.com"}, 403},
		"too much":                     {small, map[string]string{"X": "y"}, 200},
		"a session that is not there":  {open, map[string]string{"Mcp-Session-Id": "AAAA"}, 404},
		"a version that is not there":  {open, map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, 400},
		"a body that is no JSON":       {open, map[string]string{"Content-Type": "text/plain"}, 415},
		"somebody who takes nothing":   {open, map[string]string{"Accept": "image/png"}, 400},
		"the first of many, at a rate": {slow, nil, 200},
	} {
		body := hello
		if name == "too much" {
			body = strings.Replace(hello, `"t"`, `"`+strings.Repeat("t", 200)+`"`, 1)
			c.want = 413
		}
		if status, headers, text := post(t, c.web, body, c.headers); status != c.want || headers.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d, not %d: %s", name, status, c.want, text)
		}
	}
	if status, headers, _ := post(t, slow, hello, nil); status != 429 || headers.Get("Retry-After") == "" {
		t.Errorf("the second of many: %d", status)
	}
	response, err := web(t, open.URL+"/healthz")
	if err != nil || response != "ok\n" {
		t.Errorf("%q, %v", response, err)
	}
}

func web(t *testing.T, url string) (string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// dial is a client over HTTP.
func dial(t *testing.T, web *httptest.Server, token string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: web.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{token, web.Client().Transport}}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

type bearer struct {
	token string
	http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

func TestSessionsOverHTTP(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ended := make(chan struct{}, 2)
	write := `/*---
kind: script
name: note
description: Writes a note, and lists all.
allowed_tools: [write, glob]
input_schema: {type: object, required: [name], properties: {name: {type: string}}}
---*/
export default async (ctx, { name }) => { await ctx.write(name, "x"); return (await ctx.tool("glob", { pattern: "*" })).data }
`
	b := offer(t, serve.Options{Workspace: func(context.Context, string) ([]hostapi.Tool, func(), error) {
		dir, err := os.MkdirTemp(folder, "s")
		if err != nil {
			return nil, nil, err
		}
		workspace, err := files.Open(dir)
		if err != nil {
			return nil, nil, err
		}
		return append(workspace.Tools(), &shell.Tool{Dir: dir}), func() {
			workspace.Close()
			os.RemoveAll(dir)
			ended <- struct{}{}
		}, nil
	}}, write)
	tokens := []string{"the-first-of-two-tokens", "the-other-of-two-tokens"}
	web := b.listen(t, serve.HTTPOptions{Tokens: tokens, MaxSessions: 2})
	first, second := dial(t, web, tokens[0]), dial(t, web, tokens[1])
	for _, c := range []struct {
		session    *mcp.ClientSession
		name, want string
	}{{first, "a", `["a"]`}, {second, "b", `["b"]`}, {first, "c", `["a","c"]`}} {
		result := call(t, c.session, "note", map[string]any{"name": c.name})
		if got := strings.NewReplacer("\n", "", " ", "").Replace(text(result)); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	for name, c := range map[string]struct {
		token, session string
		want           int
	}{
		"its own":         {tokens[0], first.ID(), 200},
		"somebody else's": {tokens[1], first.ID(), 403},
		"a third":         {tokens[0], "", 503},
	} {
		headers := map[string]string{"Authorization": "Bearer " + c.token, "Mcp-Protocol-Version": "2025-11-25"}
		body := ping
		if c.session != "" {
			headers["Mcp-Session-Id"] = c.session
		} else {
			body = hello
		}
		if status, _, text := post(t, web, body, headers); status != c.want {
			t.Errorf("%s: %d, not %d: %s", name, status, c.want, text)
		}
	}
	for _, session := range []*mcp.ClientSession{first, second} {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	<-ended
	<-ended
	if left, err := filepath.Glob(folder + "/*"); err != nil || len(left) > 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// TestHostileRequests: whatever is sent, the answer follows the protocol, and the server goes
// on.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	web := b.listen(t, serve.HTTPOptions{Rate: -1, MaxSessions: 100000})
	bodies := []string{
		"", "{", "[]", "null", "1", `"x"`, "[1,2]", strings.Repeat("[", 100000), strings.Repeat(`{"a":`, 50000),
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":17}}`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such/thing"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, "\x00\x01\x02", "\xff\xfe", strings.Repeat("a", 1<<20),
	}
	session := dial(t, web, "")
	for i := range 1000 {
		body := bodies[i%len(bodies)]
		headers := map[string]string{}
		switch i / len(bodies) % 4 {
		case 1:
			headers["Mcp-Session-Id"] = session.ID()
		case 2:
			headers["Content-Type"] = "text/html"
		case 3:
			headers["Mcp-Protocol-Version"] = "2026-07-28"
		}
		if status, _, text := post(t, web, body, headers); status >= 500 || status == 200 && strings.Contains(text, "root:") {
			t.Errorf("%.100q with %v: %d %.200s", body, headers, status, text)
		}
	}
	if result := call(t, session, "add", map[string]any{"a": 1, "b": 2}); result.IsError {
		t.Error(text(result))
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// TestSlowBody: the server does not wait for a client that stops sending, but a client may wait
// for its answer as long as that takes.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, "/*---\nkind: script\nname: slow\ndescription: Takes its time.\n---*/\nexport default () => new Promise((done) => setTimeout(() => done('done'), 1500))\n")
	site := b.listen(t, serve.HTTPOptions{BodyTimeout: 500 * time.Millisecond})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(site.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 4") {
		t.Errorf("%s, %v", answer, err)
	}
	session := dial(t, site, "")
	if result := call(t, session, "slow", nil); text(result) != "done" { // three times as long as a body may take
		t.Errorf("%+v", result)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

// TestOAuthResource: another server issues the tokens, and clients learn which.
func TestOAuthResource(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	site := b.listen(t, serve.HTTPOptions{
		Verify: func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
			if token == "unknown" {
				return nil, auth.ErrInvalidToken
			}
			return &auth.TokenInfo{UserID: token, Scopes: strings.Split(token, "+"), Expiration: time.Now().Add(time.Hour)}, nil
		},
		Scopes: []string{"tools"}, MetadataURL: "https://tools.example.com/.well-known/oauth-protected-resource",
		Resource: &oauthex.ProtectedResourceMetadata{Resource: "https://tools.example.com/mcp", AuthorizationServers: []string{"https://auth.example.com"}},
	})
	for token, want := range map[string]int{"tools": 200, "tools+more": 200, "other": 403, "unknown": 401} {
		status, headers, text := post(t, site, hello, map[string]string{"Authorization": "Bearer " + token})
		if status != want || want != 200 && !strings.Contains(headers.Get("Www-Authenticate"), "https://tools.example.com/.well-known/") {
			t.Errorf("%s: %d %q %s", token, status, headers.Get("Www-Authenticate"), text)
		}
	}
	if text, err := web(t, site.URL+"/.well-known/oauth-protected-resource"); err != nil || !strings.Contains(text, "https://auth.example.com") {
		t.Errorf("%s, %v", text, err)
	}
}

// FuzzRequest: any bytes at all, on a stream and over HTTP. Every answer is one of
// the protocol's, to an id that was sent.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none","arguments":{"a":[1,{}]}}}`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\"}\n[{}]\n\x00"))
	f.Add([]byte(`{"jsonrpc":"2.0","iD":1,"method":"tools/call"}`)) // which nobody answers
	f.Add([]byte(`{"jSonrpc":"2.0","id":1,"method":"ping"}`))
	for _, id := range []string{"1.5", "1e23", "-0", "123456789012345678901234567890", `"\ud800"`, `"\u0061"`, `"\u0000"`, "null", "[]", `""`} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		f.Add([]byte(`[{"jsonrpc":"2.0","id":` + id + `,"method":"ping"},{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"},7]`))
		f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`))
	}
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"method":"ping","params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `,"jsonrpc":"2.0","id":"end"}`))
	server := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, version := range []string{"2025-03-26", "2025-06-18"} {
			var out bytes.Buffer
			in := strings.Replace(strings.Replace(hello, "2025-06-18", version, 1), `"id":1`, `"id":"hello"`, 1) + "\n" + string(body) + "\n"
			if err := server.Stdio(t.Context(), strings.NewReader(in), &out); err != nil && t.Context().Err() != nil {
				t.Error(err)
			}
			for line := range bytes.Lines(out.Bytes()) {
				answersTo(t, in, line)
			}
		}
		for _, version := range []string{"2025-03-26", "2026-07-28"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Protocol-Version", version)
			server.Handler(serve.HTTPOptions{Rate: -1, MaxSessions: 1 << 30}).ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError {
				t.Error(fmt.Sprint(w.Code, w.Body))
			}
		}
	})
}

// answersTo expects one answer, or a list of them, each to an id in sent.
func answersTo(t *testing.T, sent string, line []byte) {
	t.Helper()
	var list []json.RawMessage
	if json.Unmarshal(line, &list) != nil {
		list = []json.RawMessage{line}
	}
	for _, raw := range list {
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(raw, &answer); err != nil || string(answer["jsonrpc"]) != `"2.0"` {
			t.Fatalf("%s: %v", line, err)
		}
		if answer["method"] != nil {
			continue // a notification
		}
		if id := string(answer["id"]); id == "" || id != "null" && !strings.Contains(sent, id) || (answer["result"] == nil) == (answer["error"] == nil) {
			t.Fatalf("%s is no answer to %q", raw, sent)
		}
	}
}
