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

// helloOf begins a session with a token; id is empty where there was no place.
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

// TestSessionsAreShared: a client that has most sessions gives up the one that nobody
// uses for longest when another client comes, and one for itself only when that has
// been unused for long.
func TestSessionsAreShared(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, add)
	synctest.Test(t, func(t *testing.T) {
		server, err := serve.New(serve.Options{Runner: b.runner})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		handler := server.Handler(serve.HTTPOptions{Tokens: []string{tokenA, tokenB}, MaxSessions: 4, Rate: -1})
		var of []string
		for range 4 {
			id, status := helloOf(t, handler, tokenA)
			if status != http.StatusOK {
				t.Fatal(status)
			}
			of = append(of, id)
			time.Sleep(time.Second)
		}
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		alive := func(token, id string) bool {
			synctest.Wait()
			_, status := sayTo(t, handler, token, id, ping)
			return status == http.StatusOK
		}
		if _, status := helloOf(t, handler, tokenA); status != http.StatusServiceUnavailable {
			t.Error("a fifth of the same client:", status)
		}
		for range 2 {
			if !alive(tokenA, of[0]) {
				t.Fatal("it ended")
			}
		}
		other, status := helloOf(t, handler, tokenB)
		if status != http.StatusOK || alive(tokenA, of[1]) || !alive(tokenA, of[0]) || !alive(tokenB, other) {
			t.Error("not the one that was unused for longest has made room:", status)
		}
		time.Sleep(20 * time.Second)
		if _, status := helloOf(t, handler, tokenA); status != http.StatusOK || !alive(tokenA, of[0]) || !alive(tokenB, other) {
			t.Error("one that was never used stays:", status)
		}
	})
}

// TestRequestsOfAClientAreBounded: however many sessions a client has, only so many of
// its requests are unanswered, and one in each.
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

// TestWhoDoesNotReadIsCutShort: an answer that nobody reads holds up those of others for
// a while, and then its connection ends.
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
