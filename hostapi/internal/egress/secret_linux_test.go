package egress

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// TestRequestsBearTheSecretOfTheirPass: at the address of another's pass, no
// request is taken, whatever credentials it has but those of that pass; it is in
// nobody's account, and counted.
func TestRequestsBearTheSecretOfTheirPass(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := usual(t, s)
	mine, other := p.Enter(), p.Enter()
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	proxy, err := url.Parse(mine.Env()["HTTP_PROXY"])
	if err != nil {
		t.Fatal(err)
	}
	word, _ := proxy.User.Password()
	if len(word) != 32 {
		t.Errorf("a secret of 128 bits is %q", word)
	}
	asked := int64(0)
	for _, first := range []string{"GET http://api.example.com:" + portOf(t, s.plain) + "/", "CONNECT api.example.com:" + portOf(t, s.secure)} {
		for name, fields := range map[string][]string{
			"none": nil, "empty": {""}, "another's": {credentials(other)}, "no Basic": {"Basic"}, "a token": {"Bearer " + word}, "no name": {basic(":" + word)},
			"another name": {basic("x:" + word)}, "a part": {basic(user + ":" + word[:31])}, "more": {basic(user + ":" + word + "0")}, "not base64": {"Basic !"},
			"two": {credentials(other), credentials(mine)}, "twice": {credentials(mine), credentials(mine)},
		} {
			text := first + " HTTP/1.1\r\nHost: x\r\n"
			for _, field := range fields {
				text += "Proxy-Authorization: " + field + "\r\n"
			}
			asked++
			if got := raw(t, mine, text+"\r\n"); !strings.HasPrefix(got, "HTTP/1.1 407 ") || !strings.Contains(got, "Proxy-Authenticate: Basic ") || strings.Contains(got, word) {
				t.Errorf("%s: %s: %.300q", first, name, got)
			}
		}
	}
	if n := s.asked.Load(); n > 0 {
		t.Errorf("the servers were asked %d times", n)
	}
	if got := exchange(t, mine, "GET http://api.example.com:"+portOf(t, s.plain)+"/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", time.Minute); !strings.Contains(got, "host=api") {
		t.Errorf("with its own: %q", got)
	}
	for pass, want := range map[*Pass]int{mine: 1, other: 0} {
		if account := pass.Leave(); len(account.Connections) != want || len(account.Refused) > 0 || strings.Contains(fmt.Sprintf("%+v", account), word) {
			t.Errorf("%+v", account)
		}
	}
	if n := p.Strangers(); n != asked {
		t.Errorf("%d were counted, %d came", n, asked)
	}
}

// raw sends these bytes to a pass as they are, and reads until the proxy ends it.
func raw(t testing.TB, pass *Pass, text string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", pass.address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.WriteString(conn, text)
	all, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) { // so end those that are nobody's
		t.Fatalf("it was not ended: %v", err)
	}
	return string(all)
}

// TestFailuresTellNothingOfTheMachine: why a host was not reached is said without
// the addresses of this machine and of whom it asks for names.
func TestFailuresTellNothingOfTheMachine(t *testing.T) {
	t.Parallel()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0) // it is reset
			_ = conn.Close()
		}
	}))
	t.Cleanup(cut.Close)
	private, err := dialguard.ParsePrivate([]string{"cut.example.com", "closed.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	p := serving(t, Options{
		List: list(t, "unknown.example.com", "cut.example.com:"+portOf(t, cut), "closed.example.com:1"), Private: private,
		Resolver: names(t, map[string]string{"cut.example.com.": "127.0.0.1", "closed.example.com.": "127.0.0.1"}),
	})
	for first, want := range map[string]string{
		"GET http://unknown.example.com/":                     "no address is known for it",
		"CONNECT unknown.example.com:443":                     "no address is known for it",
		"GET http://closed.example.com:1/":                    "connection refused",
		"CONNECT closed.example.com:1":                        "connection refused",
		"GET http://cut.example.com:" + portOf(t, cut) + "/x": "connection reset by peer",
	} {
		pass := p.Enter()
		got := exchange(t, pass, first+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", time.Minute)
		account := pass.Leave()
		if !strings.HasPrefix(got, "HTTP/1.1 502 ") || !strings.Contains(got, want) || strings.Contains(got, "127.0.0.1") || strings.Contains(got, "lookup") {
			t.Errorf("%s: %q", first, got)
		}
		if len(account.Connections) != 1 || account.Connections[0].Failed != want {
			t.Errorf("%s: %+v", first, account)
		}
	}
}
