package egress

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names is a resolver that knows these names, each with a dot at its end.
func names(t testing.TB, known map[string]string) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	t.Cleanup(func() {
		_ = conn.Close()
		<-served
	})
	go func() {
		defer close(served)
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			ip := net.ParseIP(known[q.Name.String()]).To4()
			switch {
			case ip == nil:
				m.RCode = dnsmessage.RCodeNameError
			case q.Type == dnsmessage.TypeA:
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: [4]byte(ip)}}}
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

// site is two servers of this machine, and how often they were asked.
type site struct {
	plain, secure *httptest.Server
	asked         atomic.Int64
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://other.example.com/", http.StatusFound)
			return
		}
		fmt.Fprintf(w, "host=%s uri=%s body=%s proxy=%s upgrade=%s", r.Host, r.RequestURI, body, r.Header.Get("Proxy-Authorization"), r.Header.Get("Upgrade"))
	})
	s.plain, s.secure = httptest.NewServer(answer), httptest.NewUnstartedServer(answer)
	s.secure.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that go away are a part of these tests
	s.secure.StartTLS()
	t.Cleanup(s.plain.Close)
	t.Cleanup(s.secure.Close)
	return s
}

func portOf(t testing.TB, server *httptest.Server) string {
	t.Helper()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// serving is a proxy that ends with the test.
func serving(t testing.TB, o Options) *Proxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	p := New(o, listener)
	t.Cleanup(p.Close)
	return p
}

// usual is a proxy to a site: api.example.com may be private.
func usual(t testing.TB, s *site) *Proxy {
	t.Helper()
	plain, secure := portOf(t, s.plain), portOf(t, s.secure)
	private, err := dialguard.ParsePrivate([]string{"api.example.com", "a.below.example"})
	if err != nil {
		t.Fatal(err)
	}
	return serving(t, Options{
		List: list(t, "api.example.com:"+plain, "api.example.com:"+secure, "*.below.example:"+secure, "closed.example.com:1", "unknown.example.com",
			"loop.example.com:"+plain, "loop.example.com:"+secure, "ten.example.com", "link.example.com", "127.0.0.1:"+plain, "[::1]:"+plain),
		Private: private,
		Resolver: names(t, map[string]string{
			"api.example.com.": "127.0.0.1", "a.below.example.": "127.0.0.1", "loop.example.com.": "127.0.0.1", "ten.example.com.": "10.0.0.1", "link.example.com.": "169.254.169.254",
			"other.example.com.": "127.0.0.1",
		}),
	})
}

// exchange sends these bytes to a pass and reads all that comes back. The proxy
// must end it, or is told after a while that nothing more comes: net/http takes
// that for the end of whoever asked.
func exchange(t testing.TB, pass *Pass, text string, after time.Duration) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", pass.address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(conn, bearing(pass, text))
	defer time.AfterFunc(after, func() { _ = conn.(*net.TCPConn).CloseWrite() }).Stop()
	all, _ := io.ReadAll(conn) // a reset is an ending, too
	return string(all)
}

// bearing has each request of text bear the secret of a pass.
func bearing(pass *Pass, text string) string {
	field := "Proxy-Authorization: " + credentials(pass) + "\r\n"
	for _, version := range []string{" HTTP/1.1\r\n", " HTTP/1.0\r\n"} {
		text = strings.ReplaceAll(text, version, version+field)
	}
	return text
}

// credentials are those of a pass, as its environment has them.
func credentials(pass *Pass) string {
	proxy, _ := url.Parse(pass.Env()["HTTP_PROXY"])
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.String()))
}

// client asks through a pass as programs do.
func client(pass *Pass, name string) *http.Client {
	proxy, _ := url.Parse(pass.Env()["HTTPS_PROXY"])
	return &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy: http.ProxyURL(proxy), DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: name}, //nolint:gosec // the certificate is a test's
		},
	}
}
