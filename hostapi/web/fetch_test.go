package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi"
	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a server of this machine.
func site(t *testing.T, handler http.HandlerFunc) (address, port string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return server.URL, u.Port()
}

// ask calls fetch through a gate, with rules.
func ask(t *testing.T, f *Fetch, args map[string]any, rules ...string) (hostapi.Result, error) {
	t.Helper()
	registry, err := hostapi.NewRegistry(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var allow []hostapi.Rule
	for _, text := range rules {
		rule, err := hostapi.ParseRule(text)
		if err == nil {
			err = registry.CheckRule(rule)
		}
		if err != nil {
			t.Fatal(err)
		}
		allow = append(allow, rule)
	}
	gate := hostapi.NewGate(t.Context(), hostapi.GateConfig{Registry: registry, Policies: []hostapi.Policy{hostapi.AllowList(allow)}, Quota: hostapi.Quota{MaxToolCalls: 100}})
	defer gate.Close(time.Second)
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return gate.Invoke(t.Context(), hostapi.Call{Seq: 1, Tool: "fetch", Args: raw})
}

func get(t *testing.T, f *Fetch, address string) hostapi.Result {
	t.Helper()
	result, err := ask(t, f, map[string]any{"url": address}, "fetch")
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return result
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	address, port := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Was", fmt.Sprint(r.Method, r.Header.Get("X-A"), r.Header.Get("Cookie"), r.Header.Get("Authorization")))
		w.WriteHeader(http.StatusTeapot)
		var body strings.Builder
		_ = r.Write(&body)
		_, _ = w.Write([]byte(r.URL.Path + "\xff"[:len(r.URL.Query().Get("raw"))]))
	})
	f := &Fetch{Private: []string{"127.0.0.1:" + port}}
	result, err := ask(t, f, map[string]any{"url": address + "/a?x=1", "method": "PUT", "headers": map[string]string{"X-A": "b"}, "body": "c"}, "fetch")
	var a answer
	if err := errors.Join(err, json.Unmarshal(result.Data, &a)); err != nil || a.Status != 418 || a.Body != "/a" || a.Headers["x-was"] != "PUTb" || result.Output != "/a" || result.ExitCode != 0 {
		t.Errorf("%+v, %s, %v", a, result.Output, err)
	}
	if err := json.Unmarshal(get(t, f, address+"/?raw=1").Data, &a); err != nil || a.Encoding != "base64" || a.Body != "L/8=" {
		t.Errorf("%+v, %v", a, err)
	}
	for _, header := range []string{"host", "Transfer-Encoding", "proxy-authorization"} {
		if _, err := ask(t, f, map[string]any{"url": address, "headers": map[string]string{header: "x"}}, "fetch"); !errors.Is(err, hostapi.ErrInvalidArgs) {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// TestPrivateAddresses: none is reached, however it is spelled.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	_, port := site(t, func(http.ResponseWriter, *http.Request) { t.Error("it was reached") })
	f := &Fetch{resolver: answers(t, map[string]string{"inside.example.": "127.0.0.1", "ten.example.": "10.0.0.1", "six.example.": "::ffff:127.0.0.1"})}
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "localhost.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "0.0.0.0", "[::]",
		"2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "127.0.0.1.", "0",
		"10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "[fe80::1]", "[fc00::1]", "[fd00::1]", "224.0.0.1", "255.255.255.255",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "198.18.0.1", "[2001:db8::1]", "inside.example", "ten.example", "six.example",
	} {
		result, err := ask(t, f, map[string]any{"url": "http://" + host + ":" + port + "/", "timeoutMs": 3000}, "fetch")
		if err != nil || result.ExitCode == 0 || strings.Contains(result.Output, "whole within") {
			t.Errorf("%s: %+v, %v", host, result, err)
		}
	}
	for _, address := range []string{"ftp://example.com/", "file:///etc/passwd", "gopher://example.com", "http:/x", "//example.com", "http://user:key@example.com/", "http://example.com/a/../b", "http://example.com/a%2f..%2fb", "http://example.com/%2e%2e/b", "http://exa%6dple.com\\@127.0.0.1/", "http://"} {
		if result := get(t, f, address); result.ExitCode == 0 {
			t.Errorf("%s: %s", address, result.Output)
		}
	}
}

// answers is a resolver that knows these names.
func answers(t *testing.T, names map[string]string) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	t.Cleanup(func() {
		conn.Close()
		<-served
	})
	go func() {
		defer close(served)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			ip := net.ParseIP(names[q.Name.String()])
			header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
			switch {
			case ip == nil:
				m.RCode = dnsmessage.RCodeNameError
			case q.Type == dnsmessage.TypeA && ip.To4() != nil && !strings.Contains(names[q.Name.String()], ":"):
				m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte(ip.To4())}}}
			case q.Type == dnsmessage.TypeAAAA && strings.Contains(names[q.Name.String()], ":"):
				m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: [16]byte(ip.To16())}}}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	inside, insidePort := site(t, func(http.ResponseWriter, *http.Request) { t.Error("it was reached") })
	outside, port := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/inside":
			http.Redirect(w, r, inside, http.StatusFound)
		case "/name":
			http.Redirect(w, r, "http://localhost:"+insidePort, http.StatusFound)
		case "/decimal":
			w.Header().Set("Location", "http://2130706433:"+insidePort+"/")
			w.WriteHeader(http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/secret":
			http.Redirect(w, r, "/private/x", http.StatusTemporaryRedirect)
		case "/fine":
			http.Redirect(w, r, "/public/x", http.StatusFound)
		case "/private/x":
			t.Error("a path was reached that no rule grants")
		default:
			_, _ = w.Write([]byte("fine"))
		}
	})
	f := &Fetch{Private: []string{"127.0.0.1:" + port}}
	rule := "fetch(http://127.0.0.1:" + port + "/"
	for path, want := range map[string]string{
		"/inside": "is not an address of the public internet", "/name": "is not an address of the public internet", "/decimal": "read in two",
		"/file": "not http or https", "/round": "more than 5 redirects", "/fine": "",
	} {
		result := get(t, f, outside+path)
		if want == "" && result.Output != "fine" || want != "" && (result.ExitCode == 0 || !strings.Contains(result.Output, want)) {
			t.Errorf("%s: %+v", path, result)
		}
	}
	for path, want := range map[string]string{"/fine": "fine", "/secret": "is not allowed for", "/inside": "is not allowed for"} {
		result, err := ask(t, f, map[string]any{"url": outside + path}, rule+"public/**)", rule+"fine)", rule+"secret)", rule+"inside)")
		if err != nil || !strings.Contains(result.Output, want) {
			t.Errorf("%s: %+v, %v", path, result, err)
		}
	}
}

// TestHeadersStay: what a script sends to one host does not go to another.
func TestHeadersStay(t *testing.T) {
	t.Parallel()
	other, otherPort := site(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("[" + r.Header.Get("X-Key") + "]"))
	})
	first, port := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/same" {
			_, _ = w.Write([]byte("[" + r.Header.Get("X-Key") + "]"))
			return
		}
		http.Redirect(w, r, map[string]string{"/away": other, "/stay": "/same"}[r.URL.Path], http.StatusFound)
	})
	f := &Fetch{Private: []string{"127.0.0.1:" + port, "127.0.0.1:" + otherPort}}
	for path, want := range map[string]string{"/stay": "[secret]", "/away": "[]"} {
		result, err := ask(t, f, map[string]any{"url": first + path, "headers": map[string]string{"X-Key": "secret"}}, "fetch")
		if err != nil || result.Output != want {
			t.Errorf("%s: %+v, %v", path, result, err)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	address, port := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			_, _ = w.Write(make([]byte, 1001))
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Length", "999999999999")
			_, _ = w.Write([]byte("x"))
		case "/slow":
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			<-release
		}
	})
	f := &Fetch{Private: []string{"127.0.0.1:" + port}, MaxBytes: 1000, Timeout: 2 * time.Second}
	for path, want := range map[string]string{"/long": "1000", "/endless": "1000", "/bomb": "1000", "/slow": "did not answer whole within"} {
		if result := get(t, f, address+path); result.ExitCode == 0 || !strings.Contains(result.Output, want) {
			t.Errorf("%s: %.200s", path, result.Output)
		}
	}
	close(release)
}

func TestHosts(t *testing.T) {
	t.Parallel()
	_, port := site(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("fine")) })
	f := &Fetch{Hosts: []string{"*.example.com", "localhost"}, Private: []string{"localhost"}}
	for host, want := range map[string]string{"localhost": "fine", "127.0.0.1": "the operator does not allow", "example.com.evil.test": "the operator does not allow"} {
		if result := get(t, f, "http://"+host+":"+port); !strings.Contains(result.Output, want) {
			t.Errorf("%s: %s", host, result.Output)
		}
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	f := &Fetch{}
	for _, bad := range []string{"*", "**", "example.com/**", "ftp://example.com/**", "https://", "https://*/**", "https://a/**/b", "https://a/?x=1", "https://u@a/", "https://a:0/**", "https://a:http/**", "https://*.192.0.2.7/**", "https://a", "https://a/b/../c", "https://a/./**"} {
		if err := f.CheckPattern(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, bad := range []string{"a:0", "a:http", "*.192.0.2.7", "https://a", "a/b", "*", ""} {
		if err := (&Fetch{Hosts: []string{bad}}).Validate(); err == nil {
			t.Errorf("%q was taken for a host", bad)
		}
	}
	for _, c := range []struct {
		pattern, address string
		want             bool
	}{
		{"https://a.com/**", "https://a.com", true},
		{"https://a.com/**", "https://a.com/x/y?q=1#f", true},
		{"https://a.com/**", "https://A.com:443/x", true},
		{"https://a.com/**", "http://a.com/x", false},
		{"https://a.com/**", "https://a.com:8443/x", false},
		{"https://a.com:8443/**", "https://a.com:8443/x", true},
		{"https://a.com/**", "https://b.a.com/x", false},
		{"https://*.a.com/**", "https://b.a.com/x", true},
		{"https://*.a.com/**", "https://a.com/x", false},
		{"https://*.a.com/**", "https://ba.com/x", false},
		{"https://a.com/**", "https://a.com.evil/x", false},
		{"https://a.com/v1/*", "https://a.com/v1/x", true},
		{"https://a.com/v1/*", "https://a.com/v1/x/y", false},
		{"https://a.com/v1/**", "https://a.com/v1", true},
		{"https://a.com/v1/**", "https://a.com/v1/", true},
		{"https://a.com/v1/**", "https://a.com/v10/x", false},
		{"https://a.com/v1/**", "https://a.com/v1%2fx", false},
		{"https://a.com/", "https://a.com/", true},
		{"https://a.com/", "https://a.com/x", false},
		{"http://[::1]/**", "http://[::1]/x", true},
	} {
		u, err := parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.CheckPattern(c.pattern); err != nil {
			t.Error(err)
		}
		if got := (subject{u}).Match(c.pattern); got != c.want {
			t.Errorf("%s matches %s: %v", c.pattern, c.address, got)
		}
	}
}

// FuzzAddress: whatever is taken as an address is http, without credentials,
// and the same when it is read again.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://example.com/a?b#c", "http://127.0.0.1:80", "http://[::1%25eth0]/", "http://0x7f.1", "HTTP://A/%2e%2e/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parse(text)
		if err != nil {
			return
		}
		again, err := parse(u.String())
		if err != nil || shown(again) != shown(u) || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%q is %q, and again %v, %v", text, u, again, err)
		}
	})
}
