package serve_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// server answers requests for /now at once, and others when the test is over.
type server struct {
	t     *testing.T
	at    string
	begun chan struct{}
}

func bounded(t *testing.T, most int) *server {
	t.Helper()
	connections := &serve.Connections{Most: most}
	over, begun := make(chan struct{}), make(chan struct{}, 100)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/now" {
				return
			}
			begun <- struct{}{}
			<-over
		}),
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(connections.Bind(web, listener)) }()
	t.Cleanup(func() {
		close(over)
		_ = web.Close()
		<-served
	})
	return &server{t: t, at: listener.Addr().String(), begun: begun}
}

// ask sends a request from an address, as far as it goes.
func (s *server) ask(from, text string) net.Conn {
	s.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(s.t.Context(), "tcp", s.at)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprint(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// answer is the status of the response; 0 if the connection ends.
func (s *server) answer(conn net.Conn) int {
	s.t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

const (
	now   = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n"
	later = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"
)

// TestSilentConnectionsMakeRoom: connections without a request keep nobody out, the longest
// silent one goes first, and one with a request stays.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	s := bounded(t, 3)
	long := s.ask("127.0.0.1", later)
	<-s.begun
	said := s.ask("127.0.0.1", now)
	if status := s.answer(said); status != http.StatusOK {
		t.Fatal(status)
	}
	var all []net.Conn
	for range 20 {
		all = append(all, s.ask("127.0.0.1", "GET /half"))
		if status := s.answer(s.ask("127.0.0.1", now)); status != http.StatusOK {
			t.Fatal(status)
		}
	}
	if status := s.answer(said); status != 0 {
		t.Error("it was not closed:", status)
	}
	if status := s.answer(all[0]); status != 0 {
		t.Error("it was not closed:", status)
	}
	_ = long.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := long.Read(make([]byte, 1)); err == nil || !isTimeout(err) {
		t.Error("one with a request was closed:", err)
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // as it comes
	return ok && timeout.Timeout()
}

// TestAddressesShareConnections: the address with most connections gives some up for one with
// fewer, and an address with as many as others is told to come back.
func TestAddressesShareConnections(t *testing.T) {
	t.Parallel()
	s := bounded(t, 4)
	for range 4 {
		s.ask("127.0.0.1", later)
		<-s.begun
	}
	if status := s.answer(s.ask("127.0.0.1", now)); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
	for range 2 {
		s.ask("127.0.0.2", later)
		<-s.begun
	}
	if status := s.answer(s.ask("127.0.0.2", now)); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
	s.ask("127.0.0.3", later)
	<-s.begun
}
