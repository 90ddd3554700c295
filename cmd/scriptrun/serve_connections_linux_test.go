package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
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
	third, answers := dial()
	_ = third.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	if _, err := answers.Peek(1); err == nil {
		t.Error("a third connection of two was served")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	_ = third.SetReadDeadline(time.Now().Add(patience))
	hear(bufio.NewReader(third))
}
