package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// speak is a connection that has sent the beginning of a request.
func speak(t *testing.T, web *httptest.Server, head, body string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(web.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	text := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" + head + "\r\n\r\n" + body
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestBodiesOfAllClientsTogether: the bytes of all clients' requests count, however they
// announce their length; over the budget a client is told to come back, and can when others are
// gone.
func TestBodiesOfAllClientsTogether(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{MaxTotalBodyBytes: 1 << 20, Rate: -1})
	const most = 10 // of 200 kB, of which 1 MiB holds fewer
	part := strings.Repeat("x", 200_000)
	for form, of := range map[string][2]string{
		"announced":   {"Content-Length: 300000", part},
		"in chunks":   {"Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n", len(part), part)},
		"by a caller": {"Mcp-Session-Id: nobody\r\nContent-Length: 300000", part},
	} {
		refused := make(chan *http.Response, most)
		var clients []net.Conn
		for range most {
			conn := speak(t, web, of[0], of[1])
			clients = append(clients, conn)
			go func() {
				if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil { //nolint:bodyclose // the test closes the connection
					refused <- response
				}
			}()
		}
		response := <-refused
		if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s", form, response.Status)
		}
		response.Body.Close()
		for _, conn := range clients {
			_ = conn.Close()
		}
		status := 0
		for deadline := time.Now().Add(patience); status != http.StatusOK && time.Now().Before(deadline); {
			status, _, _ = post(t, web, strings.Replace(hello, `"t"`, `"`+part[:50_000]+`"`, 1), nil)
			time.Sleep(time.Millisecond) // nothing tells
		}
		if status != http.StatusOK {
			t.Errorf("%s: %d after all others were gone", form, status)
		}
	}
}

// TestAnnouncedIsNotTaken: announcing a large body takes no room from others, and a body
// without room is refused before it arrives.
func TestAnnouncedIsNotTaken(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{MaxTotalBodyBytes: 1 << 20, Rate: -1})
	for range 20 {
		speak(t, web, "Content-Length: 1000000", "{")
	}
	if status, _, text := post(t, web, hello, nil); status != http.StatusOK {
		t.Error(status, text)
	}
	response, err := http.ReadResponse(bufio.NewReader(speak(t, web, "Content-Length: 2000000", "{")), nil)
	if err != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Fatal(response, err)
	}
	response.Body.Close()
}

// TestBodyThatStops: a client that sends half of a body is cut off long before the time for a
// whole body.
func TestBodyThatStops(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{BodyTimeout: time.Hour})
	response, err := http.ReadResponse(bufio.NewReader(speak(t, web, "Content-Length: 200000", strings.Repeat("x", 100_000))), nil)
	if err != nil || response.StatusCode != http.StatusBadRequest {
		t.Fatal(response, err)
	}
	response.Body.Close()
}

// TestBodiesAreShared: a client that sends much leaves room for others, and small
// bodies, such as those that cancel a call, have room of their own.
func TestBodiesAreShared(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{MaxTotalBodyBytes: 4 << 20, MaxBodyBytes: 1 << 20, Tokens: []string{tokenA, tokenB}, Rate: -1})
	part := strings.Repeat("x", 600_000)
	send := func(token string) net.Conn {
		return speak(t, web, "Authorization: Bearer "+token+"\r\nContent-Length: 1000000", part)
	}
	refused := make(chan int, 20)
	for range 20 { // of 20 MB together
		conn := send(tokenA)
		go func() {
			if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil { //nolint:bodyclose // the test closes the connection
				refused <- response.StatusCode
			}
		}()
	}
	if status := <-refused; status != http.StatusServiceUnavailable {
		t.Fatal(status)
	}
	handler := map[string]string{"Authorization": "Bearer " + tokenA}
	if status, _, text := post(t, web, hello, handler); status != http.StatusOK {
		t.Error("a small one of the same client:", status, text)
	}
	handler["Authorization"] = "Bearer " + tokenB
	if status, _, text := post(t, web, strings.Replace(hello, `"t"`, `"`+part[:50_000]+`"`, 1)+strings.Repeat(" ", 900_000), handler); status != http.StatusOK {
		t.Error("a large one of another:", status, text)
	}
}
