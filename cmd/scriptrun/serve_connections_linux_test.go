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
	hear := func(answers *bufio.Reader) {
		t.Helper()
		response, err := http.ReadResponse(answers, nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	first, answers := dial()
	hear(answers)
	_, answers = dial()
	hear(answers)
	_, answers = dial()
	hear(answers)
	if n, err := first.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Error("the first, which has waited for a request for longest, is still there:", n, err)
	}
}
