package mcptools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/mcptools"
)

// webAnswer is what a server over HTTP does at a method.
type webAnswer func(w http.ResponseWriter, r *http.Request, a asked)

// stream begins a stream of events and writes one again and again, until the
// client has gone.
func stream(event string) webAnswer {
	return func(w http.ResponseWriter, r *http.Request, _ asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; r.Context().Err() == nil; i++ {
			if _, err := fmt.Fprintf(w, "data: "+event+"\n\n", i); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // the next write tells
		}
	}
}

// body begins an answer that never ends.
func body(kind string, status int) webAnswer {
	return func(w http.ResponseWriter, r *http.Request, _ asked) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat(" ", 64<<10)); err != nil {
				return
			}
		}
	}
}

var hostileWeb = map[string]webAnswer{
	"no headers":            func(_ http.ResponseWriter, r *http.Request, _ asked) { <-r.Context().Done() },
	"no body":               func(w http.ResponseWriter, r *http.Request, _ asked) { w.(http.Flusher).Flush(); <-r.Context().Done() },
	"an endless body":       body("application/json", 200),
	"an endless error":      body("text/plain", 400),
	"an endless event":      body("text/event-stream", 200),
	"endless pings":         stream(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`),
	"endless sampling":      stream(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{}}`),
	"endless notifications": stream(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","n":%d}`),
	"endless noise":         stream(`noise %d`),
	"a silent stream": func(w http.ResponseWriter, r *http.Request, _ asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	},
	"redirects": func(w http.ResponseWriter, r *http.Request, _ asked) {
		http.Redirect(w, r, "/again"+r.URL.Path, http.StatusTemporaryRedirect)
	},
	"an endless redirect": func(w http.ResponseWriter, r *http.Request, a asked) {
		w.Header().Set("Location", "/again")
		body("text/plain", 307)(w, r, a)
	},
	"huge headers": func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.Header().Set("X-Large", strings.Repeat("x", 1<<20))
	},
	"an id of many parts": func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":[0%s],"result":{}}`, strings.Repeat(",0", 2_000_000))
	},
	"an error of many parts": func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":[0%s],"error":{}}`, strings.Repeat(",0", 2_000_000))
	},
}

// hostileSite is a server over HTTP that does it at a method. It counts the
// requests of ours that are replies to its own.
func hostileSite(t *testing.T, do webAnswer, at string) (url string, replies *atomic.Int64) {
	t.Helper()
	replies = &atomic.Int64{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var a asked
		if err == nil && r.Method == http.MethodPost && json.Unmarshal(text, &a) != nil {
			t.Errorf("it was sent %q", text)
		}
		answer := func(result string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "s")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, a.ID, result)
		}
		switch {
		case r.Method == http.MethodDelete && at == "the end":
			do(w, r, a)
		case r.Method == http.MethodPost && a.Method == "":
			replies.Add(1)
			<-r.Context().Done() // it never accepts one
		case a.Method == at:
			do(w, r, a)
		case a.Method == "server/discover":
			http.Error(w, "no", http.StatusNotFound)
		case a.Method == "initialize":
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case a.Method == "tools/list":
			answer(oneTool)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(func() { ended(t, "the server", site.Close) })
	return site.URL, replies
}

// TestHostileServersOverHTTPHoldNothingUp: a start, a call and the end are over in
// time, and no request is left.
func TestHostileServersOverHTTPHoldNothingUp(t *testing.T) {
	t.Parallel()
	for mode, do := range hostileWeb {
		for _, at := range []string{"initialize", "notifications/initialized", "tools/list", "tools/call", "the end"} {
			t.Run(mode+" at "+at, func(t *testing.T) {
				t.Parallel()
				url, _ := hostileSite(t, do, at)
				starts := at == "tools/call" || at == "the end"
				config := mcptools.Server{Name: "web", URL: url, StartTimeout: patience}
				short := 300 * time.Millisecond
				if !starts {
					config.StartTimeout = short
				}
				ended(t, "the start", func() {
					c, err := mcptools.Connect(t.Context(), config)
					if (err == nil) != starts && at != "notifications/initialized" { // what a server says to that is not read
						t.Errorf("it connects: %v", err)
					}
					if err != nil {
						return
					}
					ctx, cancel := context.WithTimeout(t.Context(), short)
					defer cancel()
					ended(t, "the call", func() {
						if got := <-ask(ctx, c.Tools()[0]); at == "tools/call" && got.err == nil && !got.Throws {
							t.Errorf("%+v", got)
						}
					})
					ended(t, "closing", func() { _ = c.Close() })
				})
			})
		}
	}
}

// TestServerOverHTTPIsAnsweredItsPings, and what else it asks is refused, while its
// answers arrive.
func TestServerOverHTTPIsAnsweredItsPings(t *testing.T) {
	t.Parallel()
	url, replies := hostileSite(t, func(w http.ResponseWriter, r *http.Request, a asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": a comment \"\n\nevent: other\ndata: {}\n\nevent: message\r\nid: 7\r\nretry: 1\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\r\ndata: \"method\":\"ping\"}\r\n\r\n")
		fmt.Fprintf(w, "data:{\"jsonrpc\":\"2.0\",\ndata:\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"heard\"}]}}\n\n", a.ID)
	}, "tools/call")
	c := connect(t, mcptools.Server{Name: "web", URL: url})
	if got := invoke(t, c, "mcp__web__one", "{}"); got.Throws || got.Output != "heard" {
		t.Errorf("%+v", got)
	}
	ended(t, "waiting for the reply", func() {
		for replies.Load() == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond) // it comes on a request of its own
		}
	})
}
