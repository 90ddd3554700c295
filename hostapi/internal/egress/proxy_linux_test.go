package egress

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// TestRequestsThatAreRefused: what somebody hostile sends to reach another host
// reaches none.
func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := usual(t, s)
	plain, secure := portOf(t, s.plain), portOf(t, s.secure)
	const end = " HTTP/1.1\r\nHost: api.example.com\r\nConnection: close\r\n\r\n"
	for _, c := range []struct{ name, text, want string }{
		{"another host", "GET http://other.example.com:PLAIN/" + end, "403"},
		{"another port", "GET http://api.example.com:22/" + end, "403"},
		{"the usual port", "GET http://api.example.com/" + end, "403"},
		{"a tunnel to another host", "CONNECT other.example.com:SECURE" + end, "403"},
		{"a tunnel to another port", "CONNECT api.example.com:22" + end, "403"},
		{"a name that is private", "GET http://loop.example.com:PLAIN/" + end, "403"},
		{"a tunnel to a name that is private", "CONNECT loop.example.com:SECURE" + end, "403"},
		{"a name in a private network", "CONNECT ten.example.com:443" + end, "403"},
		{"a name of a link-local service", "GET http://link.example.com/latest/meta-data" + end, "403"},
		{"a listed address that is private", "GET http://127.0.0.1:PLAIN/" + end, "403"},
		{"the same of IPv6", "GET http://[::1]:PLAIN/" + end, "403"},
		{"mapped", "GET http://[::ffff:127.0.0.1]:PLAIN/" + end, "403"},
		{"a metadata address", "CONNECT 169.254.169.254:80" + end, "403"},
		{"localhost", "CONNECT localhost:PLAIN" + end, "403"},
		{"decimal", "GET http://2130706433:PLAIN/" + end, "400"},
		{"octal", "GET http://0177.0.0.1:PLAIN/" + end, "400"},
		{"short", "CONNECT 127.1:PLAIN" + end, "400"},
		{"hex", "CONNECT 0x7f000001:PLAIN" + end, "400"},
		{"a zone", "GET http://[fe80::1%25lo]:PLAIN/" + end, "400"},
		{"other digits", "GET http://１２７.0.0.1:PLAIN/" + end, "400"},
		{"a dot that is none", "GET http://api。example.com:PLAIN/" + end, "400"},
		{"percent", "GET http://other%2eexample.com:PLAIN/" + end, "400"},
		{"credentials", "GET http://api.example.com:PLAIN@other.example.com:PLAIN/" + end, "400"},
		{"credentials in a tunnel", "CONNECT api.example.com:SECURE@other.example.com:SECURE" + end, "400"},
		{"https without a tunnel", "GET https://api.example.com:SECURE/" + end, "400"},
		{"another scheme", "GET ftp://api.example.com/" + end, "400"},
		{"no target", "GET / HTTP/1.1\r\nHost: other.example.com:PLAIN\r\nConnection: close\r\n\r\n", "400"},
		{"an asterisk", "OPTIONS * HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n\r\n", "200"}, // net/http's own answer
		{"a tunnel with a path", "CONNECT /api.example.com:SECURE" + end, "400"},
		{"a tunnel without a port", "CONNECT api.example.com" + end, "400"},
		{"a tunnel with a body", "CONNECT api.example.com:SECURE HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody", "400"},
		{"a tunnel in chunks", "CONNECT api.example.com:SECURE HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
		{"port 0", "CONNECT api.example.com:0" + end, "400"},
		{"port 65536", "CONNECT api.example.com:65536" + end, "400"},
		{"a named port", "CONNECT api.example.com:https" + end, "400"},
		{"two hosts", "GET http://other.example.com:PLAIN/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "407"},
		{"a huge header", "GET http://api.example.com:PLAIN/ HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", "431"},
		{"a control character", "GET http://api.example.com\x01:PLAIN/" + end, "400"},
		{"a line feed in the target", "CONNECT other.example.com:SECURE\nHost: x" + end, "400"},
		{"not HTTP", "\x05\x01\x00", "400"},
		{"a listed name that nobody knows", "CONNECT unknown.example.com:443" + end, "502"},
	} {
		pass := p.Enter()
		got := exchange(t, pass, strings.NewReplacer("PLAIN", plain, "SECURE", secure).Replace(c.text), time.Second)
		account := pass.Leave()
		if !strings.HasPrefix(got, "HTTP/1.1 "+c.want) && !(c.want == "400" && strings.HasPrefix(got, "HTTP/1.1 50")) {
			t.Errorf("%s: %.200q; want %s", c.name, got, c.want)
		}
		if c.want == "403" && (len(account.Refused) != 1 || len(account.Connections) != 1 || account.Connections[0].Refused == "" || !strings.Contains(got, account.Refused[0].Target) || account.Refused[0].Key == "") {
			t.Errorf("%s: %+v: %.200q", c.name, account, got)
		}
		if strings.Contains(got, "host=") || len(account.Connections) > 0 && account.Connections[0].Sent > 0 {
			t.Errorf("%s: it went out: %.200q %+v", c.name, got, account)
		}
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the servers were asked %d times", n)
	}
}

// TestPlainRequests go out with the host of their target, whatever they say
// besides, and one by one.
func TestPlainRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := usual(t, s)
	target := "api.example.com:" + portOf(t, s.plain)
	for _, c := range []struct{ name, text, want, never string }{
		{"plain", "GET http://TARGET/a?b;c=%20 HTTP/1.1\r\nHost: TARGET\r\nConnection: close\r\n\r\n", "host=TARGET uri=/a?b;c=%20 ", ""},
		{"another host field", "GET http://TARGET/ HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n\r\n", "host=TARGET ", "other"},
		{"upper case, a dot at the end", "GET http://API.EXAMPLE.COM.:PORT/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "host=TARGET ", "EXAMPLE"},
		{"credentials for the proxy", "GET http://TARGET/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "proxy= ", "Basic"},
		{"an upgrade", "GET http://TARGET/ HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n", "upgrade=", "websocket"},
		{"a host taken away by Connection", "GET http://TARGET/ HTTP/1.1\r\nHost: x\r\nConnection: Host, close\r\n\r\n", "host=TARGET ", ""},
		{"a body with two lengths", "POST http://TARGET/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "body=abc ", ""},
		{"HTTP/1.0", "GET http://TARGET/ HTTP/1.0\r\n\r\n", "host=TARGET ", ""},
	} {
		pass := p.Enter()
		fill := strings.NewReplacer("TARGET", target, "PORT", portOf(t, s.plain))
		got := exchange(t, pass, fill.Replace(c.text), time.Minute)
		account := pass.Leave()
		if !strings.Contains(got, fill.Replace(c.want)) || c.never != "" && strings.Contains(got, c.never) {
			t.Errorf("%s: %q", c.name, got)
		}
		if len(account.Connections) != 1 || account.Connections[0].Sent == 0 || account.Connections[0].Received == 0 || account.Connections[0].Refused != "" {
			t.Errorf("%s: %+v", c.name, account)
		}
	}
	pass := p.Enter()
	got := exchange(t, pass, strings.ReplaceAll("GET http://TARGET/1 HTTP/1.1\r\nHost: x\r\n\r\nGET http://other.example.com/2 HTTP/1.1\r\nHost: TARGET\r\n\r\nGET http://TARGET/3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "TARGET", target), time.Minute)
	account := pass.Leave()
	if strings.Count(got, "uri=") != 2 || !strings.Contains(got, "uri=/3") || !strings.Contains(got, "403 Forbidden") {
		t.Errorf("pipelined: %q", got)
	}
	if len(account.Connections) != 3 || account.Refused[0].Target != "other.example.com:80" {
		t.Errorf("pipelined: %+v", account)
	}
}

// TestTunnels carry TLS to the host that they were asked for, and nothing else.
func TestTunnels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := usual(t, s)
	secure := portOf(t, s.secure)
	for _, c := range []struct{ url, sni, refused string }{
		{"https://api.example.com:" + secure + "/x", "", ""},
		{"https://API.example.com:" + secure + "/x", "API.Example.Com", ""},
		{"https://a.below.example:" + secure + "/x", "", ""},
		{"https://api.example.com:" + secure + "/x", "other.example.com", `its TLS hello is for another host, "other.example.com"`},
		{"https://api.example.com:" + secure + "/x", "127.0.0.1", "its TLS hello names no host"}, // the client sends none then
		{"https://other.example.com:" + secure + "/x", "api.example.com", notListed},
		{"https://below.example:" + secure + "/x", "", notListed},
	} {
		pass := p.Enter()
		before := s.asked.Load()
		response, err := client(pass, c.sni).Get(c.url) //nolint:noctx // the client has a deadline
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		account := pass.Leave()
		if (err == nil) != (c.refused == "") || (s.asked.Load() > before) != (c.refused == "") {
			t.Errorf("%s for %q: %v", c.url, c.sni, err)
		}
		if len(account.Connections) != 1 || account.Connections[0].Refused != c.refused || (account.Connections[0].Sent > 0) != (c.refused == "") {
			t.Errorf("%s for %q: %+v", c.url, c.sni, account)
		}
	}
	for name, first := range map[string]string{"plain HTTP": "GET / HTTP/1.1\r\nHost: other.example.com\r\n\r\n", "SSH": "SSH-2.0-x\r\n", "nothing": ""} {
		pass := p.Enter()
		got := exchange(t, pass, "CONNECT api.example.com:"+portOf(t, s.plain)+" HTTP/1.1\r\nHost: x\r\n\r\n"+first, 0)
		account := pass.Leave()
		if strings.Contains(got, "host=") || len(account.Connections) != 1 || account.Connections[0].Refused == "" || account.Connections[0].Sent > 0 {
			t.Errorf("%s: %q %+v", name, got, account)
		}
	}
}

// TestHiddenNamesAreRefused: a hello that hides its host could be for any.
func TestHiddenNamesAreRefused(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		defer there.Close()
		config := &tls.Config{ServerName: "hidden.example.com", EncryptedClientHelloConfigList: configOfHidden(t, "api.example.com"), MinVersion: tls.VersionTLS13}
		_ = tls.Client(there, config).Handshake() //nolint:noctx // the pipe is closed
	}()
	if first, why := firstFlight(here, "api.example.com"); !strings.Contains(why, "ECH") || first != nil {
		t.Errorf("%q, %d bytes", why, len(first))
	}
}

// TestRedirectsMeetTheProxyAgain: a client that follows one has to ask.
func TestRedirectsMeetTheProxyAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	pass := usual(t, s).Enter()
	response, err := client(pass, "").Get("http://api.example.com:" + portOf(t, s.plain) + "/away") //nolint:noctx // the client has a deadline
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if account := pass.Leave(); response.StatusCode != http.StatusForbidden || s.asked.Load() != 1 || account.Refused[0].Target != "other.example.com:80" {
		t.Errorf("%d %s %+v", response.StatusCode, body, account)
	}
}

// TestRefusalsAreRead: programs print the line, or the text after it.
func TestRefusalsAreRead(t *testing.T) {
	t.Parallel()
	pass := serving(t, Options{}).Enter()
	defer pass.Leave()
	_, err := client(pass, "").Get("https://api.example.com/") //nolint:noctx,bodyclose // there is none
	if err == nil || !strings.Contains(err.Error(), "the sandbox refused the network (api.example.com:443)") {
		t.Error(err)
	}
}

// TestLeavingEndsWhatIsUnderWay: tunnels, requests and idle connections of a
// pass end with it, others go on, and nobody enters by an address that is nobody's.
func TestLeavingEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hang) })
	private, err := dialguard.ParsePrivate([]string{"127.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	p := serving(t, Options{List: list(t, "127.0.0.1:"+portOf(t, server)), Private: private})
	one, other := p.Enter(), p.Enter()
	open := func(pass *Pass, text string) net.Conn {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", pass.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		_, _ = io.WriteString(conn, bearing(pass, text))
		return conn
	}
	target := "127.0.0.1:" + portOf(t, server)
	tunnel := open(one, "CONNECT "+target+" HTTP/1.1\r\nHost: x\r\n\r\n")
	if line, err := bufio.NewReader(tunnel).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatal(line, err)
	}
	request := open(one, "GET http://"+target+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
	<-asked
	idle, half := open(one, ""), open(one, "GET http")
	stays := open(other, "GET http://"+target)
	account := one.Leave()
	for name, conn := range map[string]net.Conn{"tunnel": tunnel, "request": request, "idle": idle, "half": half} {
		if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(account.Connections) != 2 {
		t.Errorf("%+v", account)
	}
	late := open(one, "GET http://"+target+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, _ := io.ReadAll(late); len(got) > 0 {
		t.Errorf("after leaving: %q", got)
	}
	if _, err := io.WriteString(stays, "\r\n"); err != nil {
		t.Errorf("another's connection: %v", err)
	}
	if again := one.Leave(); len(again.Connections) != 2 {
		t.Errorf("again: %+v", again)
	}
}

// TestAccountsAreBounded: however much is asked for, with a count of the rest.
func TestAccountsAreBounded(t *testing.T) {
	t.Parallel()
	pass := serving(t, Options{}).Enter()
	var text strings.Builder
	for i := range mostKept + 20 {
		fmt.Fprintf(&text, "GET http://h%d.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", i)
	}
	text.WriteString("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	exchange(t, pass, text.String(), time.Minute)
	if account := pass.Leave(); len(account.Connections) != mostKept || account.LeftOut != 20 || len(account.Refused) != mostRefused {
		t.Errorf("%d, %d more, %d refused", len(account.Connections), account.LeftOut, len(account.Refused))
	}
}

// FuzzProxy: whatever comes in, nothing goes to a host that is not listed, and
// the proxy goes on.
func FuzzProxy(f *testing.F) {
	for _, seed := range []string{
		"GET http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n", "CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03",
		"POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nGET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n", "CONNECT [::1]:443 HTTP/1.1\r\n\r\n", "GET http://0x7f.1/ HTTP/1.0\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if name, _, _ := strings.Cut(r.Host, ":"); name != "api.example.com" {
			panic("asked as " + r.Host)
		}
	}))
	f.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		f.Fatal(err)
	}
	private, err := dialguard.ParsePrivate([]string{"api.example.com"})
	if err != nil {
		f.Fatal(err)
	}
	p := serving(f, Options{List: list(f, "api.example.com:"+to.Port()), Private: private, Resolver: names(f, map[string]string{"api.example.com.": "127.0.0.1"})})
	f.Fuzz(func(t *testing.T, text []byte) {
		pass := p.Enter()
		exchange(t, pass, strings.ReplaceAll(string(text), "api.example.com/", "api.example.com:"+to.Port()+"/"), 20*time.Millisecond)
		for _, c := range pass.Leave().Connections {
			if listed := c.Host == "api.example.com" && fmt.Sprint(c.Port) == to.Port(); !listed && (c.Refused == "" || c.Sent+c.Received > 0) {
				t.Errorf("%+v", c)
			}
		}
	})
}
