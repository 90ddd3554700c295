package serve_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

const (
	tokenA = "aaaaaaaaaaaaaaaaaaaaaaaa"
	tokenB = "bbbbbbbbbbbbbbbbbbbbbbbb"
)

// helloOf begins a session with a token; id is empty if there was no place.
func helloOf(t *testing.T, handler http.Handler, token string) (id string, status int) {
	t.Helper()
	return sayTo(t, handler, token, "", hello)
}

func sayTo(t *testing.T, handler http.Handler, token, session, body string) (id string, status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return "", 0
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token}}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	handler.ServeHTTP(w, r)
	return w.header.Get("Mcp-Session-Id"), w.status
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorder) Flush()                      {}

// TestSessionsAreShared: a client leaves sessions for others. Another client's session in use
// does not end for it, and of its own only one that was unused for long does. A client that has
// more than another gives up its least recently used one.
func TestSessionsAreShared(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	synctest.Test(t, func(t *testing.T) {
		server, err := serve.New(serve.Options{Runner: b.runner})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		tokenC := strings.Repeat("c", 24)
		handler := server.Handler(serve.HTTPOptions{Tokens: []string{tokenA, tokenB, tokenC}, MaxSessions: 4, Rate: -1})
		begin := func(token string) (id string, ok bool) {
			id, status := helloOf(t, handler, token)
			time.Sleep(time.Second)
			if status != http.StatusOK && status != http.StatusServiceUnavailable {
				t.Fatal(status)
			}
			return id, status == http.StatusOK
		}
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		alive := func(token, id string) bool {
			synctest.Wait()
			_, status := sayTo(t, handler, token, id, ping)
			return status == http.StatusOK
		}
		var of []string
		for range 3 {
			id, ok := begin(tokenA)
			if !ok {
				t.Fatal("there was no place")
			}
			of = append(of, id)
		}
		if _, ok := begin(tokenA); ok {
			t.Error("one client has them all")
		}
		other, ok := begin(tokenB)
		if !ok || !alive(tokenA, of[0]) || !alive(tokenA, of[0]) || !alive(tokenB, other) || !alive(tokenB, other) {
			t.Error("there was no place for another")
		}
		if _, ok := begin(tokenB); !ok { // A has three
			t.Error("who has more gives up none")
		}
		if alive(tokenA, of[1]) || !alive(tokenA, of[0]) || !alive(tokenA, of[2]) {
			t.Error("not the one that was used least lately has made room")
		}
		if _, ok := begin(tokenB); ok {
			t.Error("who has as many gave one up")
		}
		if _, ok := begin(tokenC); !ok {
			t.Error("a third has no place")
		}
		if _, ok := begin(tokenC); ok {
			t.Error("one that has just begun made room for its own client")
		}
		time.Sleep(20 * time.Second)
		if _, ok := begin(tokenC); !ok || !alive(tokenA, of[0]) || !alive(tokenB, other) {
			t.Error("one that was never used stays in the way of its own client")
		}
	})
}

// TestRequestsOfAClientAreBounded: however many sessions a client has, only so many of its
// requests are unanswered, and one in each.
func TestRequestsOfAClientAreBounded(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, keep)
	handler := b.server.Handler(serve.HTTPOptions{Tokens: []string{tokenA, tokenB}, Rate: -1})
	call := fmt.Sprintf(callKeep, "c", 60_000, 1)
	third, _ := helloOf(t, handler, tokenA)
	go sayTo(t, handler, tokenA, third, strings.Replace(call, `"c"`, `"first"`, 1))
	for range 2 { // of 64 that stand and 64 that wait
		id, _ := helloOf(t, handler, tokenA)
		for n := range 128 {
			go func() {
				for status := http.StatusTooManyRequests; status == http.StatusTooManyRequests && t.Context().Err() == nil; {
					_, status = sayTo(t, handler, tokenA, id, strings.Replace(call, `"c"`, strconv.Itoa(n), 1))
				}
			}()
		}
	}
	other, _ := helloOf(t, handler, tokenB)
	status := make(chan int)
	until(t, "the third session's second call is refused", func() bool {
		go func() {
			_, got := sayTo(t, handler, tokenA, third, strings.Replace(call, "60000", "0", 1))
			status <- got
		}()
		return <-status == http.StatusTooManyRequests
	})
	if _, status := sayTo(t, handler, tokenB, other, strings.Replace(call, "60000", "0", 1)); status != http.StatusOK {
		t.Error("another client's call:", status)
	}
}

// TestWhoDoesNotReadIsCutShort: an answer that nobody reads delays others for a while, and then
// its connection ends.
func TestWhoDoesNotReadIsCutShort(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{AnswerBytes: 32 << 20}, strings.Replace(keep, "1048576", "16777216", 1))
	web := b.listen(t, serve.HTTPOptions{Rate: -1})
	const size = 12_000_000
	call := fmt.Sprintf(callKeep, "c", 0, size)
	deaf := speak(t, web, fmt.Sprintf("Mcp-Session-Id: %s\r\nContent-Length: %d", begin(t, web, "2025-06-18")["Mcp-Session-Id"], len(call)), call)
	conn, ok := deaf.(*net.TCPConn)
	if !ok {
		t.Fatalf("%T", deaf)
	}
	if err := conn.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(deaf, make([]byte, 1000)); err != nil { // it has room
		t.Fatal(err)
	}
	if status, _, text := post(t, web, call, begin(t, web, "2025-06-18")); status != http.StatusOK || len(text) < size {
		t.Fatalf("%d %.300s", status, text)
	}
}
