package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"time"
)

// TestServeConnectionsAreBounded: a client beyond the bound is served when another
// one is gone.
func TestServeConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	w := serveWaiting(t, "connections", "--http", "127.0.0.1:0", "--max-connections", "2")
	address, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	dial := func() (net.Conn, *bufio.Reader) {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return conn, bufio.NewReader(conn)
	}
	hear := func(answers *bufio.Reader) int {
		t.Helper()
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode
	}
	first, answers := dial()
	second, others := dial()
	if one, other := hear(answers), hear(others); one != http.StatusOK || other != http.StatusOK {
		t.Fatal(one, other)
	}
	// The server notes that they wait after it has answered them: until then a third is
	// told to come back, and afterwards either may be the one that waits for longest.
	for end := time.Now().Add(patience); ; {
		_, answers := dial()
		status := hear(answers)
		if status == http.StatusOK {
			break
		}
		if status != http.StatusServiceUnavailable || time.Now().After(end) {
			t.Fatal(status)
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
	ended := make(chan error, 2)
	for _, conn := range []net.Conn{first, second} {
		go func() {
			_, err := conn.Read(make([]byte, 1))
			ended <- err
		}()
	}
	if err := <-ended; !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Error("those that have waited for a request for longest are still there:", err)
	}
}
