package serve_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// TestResumedStreamsHaveABound: a replay stays in memory until it is read, so only a few
// streams are resumed at once; one that ends makes room.
func TestResumedStreamsHaveABound(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, "/*---\nkind: script\nname: slow\ndescription: Takes its time.\nlimits: {timeoutMs: 60000}\n---*/\nexport default () => new Promise((done) => setTimeout(done, 50000))\n")
	web := b.listen(t, serve.HTTPOptions{Rate: -1})
	session := begin(t, web, "2025-11-25")
	ask := func(ctx context.Context, method, body, last string) (*http.Response, error) {
		for {
			response, err := askFor(ctx, web, session, method, body, last)
			if err != nil || response.StatusCode != http.StatusConflict { // the server has not heard yet that the first is gone
				return response, err
			}
			_ = response.Body.Close()
		}
	}
	const most = 4
	var names []string
	for n := range most + 1 {
		ctx, hangUp := context.WithCancel(t.Context())
		response, err := ask(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":`+strconv.Itoa(n)+`,"method":"tools/call","params":{"name":"slow"}}`, "")
		if err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 200)
		read, err := response.Body.Read(head)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(string(head[:read]), "id: ")
		name, _, _ = strings.Cut(name, "\n")
		names = append(names, name)
		hangUp()
		_ = response.Body.Close()
	}
	// A stream is silent until its answer comes, headers included: one that is let
	// in says nothing, and one that is not says so at once.
	full := func(name string) bool {
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		response, err := ask(ctx, http.MethodGet, "", name)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != ""
	}
	resuming, end := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	for _, name := range names[:most] {
		streams.Go(func() {
			for resuming.Err() == nil { // the fifth may be let in for a moment
				if response, err := ask(resuming, http.MethodGet, "", name); err == nil {
					_ = response.Body.Close()
				}
			}
		})
	}
	until(t, "the fifth is refused", func() bool { return full(names[most]) })
	end()
	streams.Wait()
	until(t, "there is room again", func() bool { return !full(names[most]) })
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); {
		if time.Since(began) > patience {
			t.Fatalf("not so: %s", what)
		}
		time.Sleep(time.Millisecond) // nothing tells
	}
}
