package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/scripttools/serve"
)

// begin begins a session over HTTP and returns the headers of its requests.
func begin(t *testing.T, web *httptest.Server, version string) map[string]string {
	t.Helper()
	status, headers, text := post(t, web, strings.Replace(hello, "2025-06-18", version, 1), nil)
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	session := map[string]string{"Mcp-Session-Id": headers.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": version}
	if status, _, text := post(t, web, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session); status != http.StatusAccepted {
		t.Fatal(status, text)
	}
	return session
}

// TestBatchesOverHTTP: one version of the protocol has batches, and later ones refuse them.
func TestBatchesOverHTTP(t *testing.T) {
	t.Parallel()
	web := offer(t, serve.Options{}, add).listen(t, serve.HTTPOptions{})
	list := "[" + fmt.Sprintf(callAdd, "1") + `,{"jsonrpc":"2.0","id":"p","method":"ping"}]`
	if status, _, text := post(t, web, list, begin(t, web, "2025-03-26")); status != 200 || !strings.Contains(text, `"sum":3`) || !strings.Contains(text, `"id":"p"`) {
		t.Errorf("%d %s", status, text)
	}
	session := begin(t, web, "2025-06-18")
	for range 2 {
		if status, _, text := post(t, web, list, session); status != 400 || !strings.Contains(text, "has no batches") || !strings.Contains(text, "-32600") {
			t.Errorf("%d %s", status, text)
		}
		delete(session, "Mcp-Protocol-Version") // the session knows
	}
	if status, _, text := post(t, web, fmt.Sprintf(callAdd, "2"), session); status != 200 || !strings.Contains(text, `"sum":3`) {
		t.Errorf("the session has ended: %d %s", status, text)
	}
}

// TestRequestsOverHTTPWaitForAPlace: a session has 64 requests under way; further ones wait,
// are read when one is answered, and are refused when too many wait. Other messages are
// accepted meanwhile.
func TestRequestsOverHTTPWaitForAPlace(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{SessionRuns: 200}, `/*---
kind: script
name: long
description: Takes until it is cancelled.
limits: {timeoutMs: 120000}
---*/
export default () => new Promise(() => {setTimeout(() => {}, 119000)})
`)
	web := b.listen(t, serve.HTTPOptions{Rate: -1})
	session := begin(t, web, "2025-06-18")
	other := begin(t, web, "2025-06-18")
	web.Client().Transport.(*http.Transport).MaxConnsPerHost = 0
	statuses := make(chan int, 200)
	var all sync.WaitGroup
	for n := range 129 {
		all.Go(func() {
			status, _, _ := post(t, web, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"long"}}`, n), session)
			statuses <- status
		})
	}
	if status := <-statuses; status != http.StatusTooManyRequests { // 64 are under way, 64 wait
		t.Errorf("the first answer is %d", status)
	}
	if status, _, text := post(t, web, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, other); status != 200 { // another session
		t.Error(status, text)
	}
	for n := range 129 { // each place that is left is taken by one that waited, which is cancelled too
		cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n)
		if status, _, text := post(t, web, cancel, session); status != http.StatusAccepted {
			t.Fatal(status, text)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, web.URL+"/mcp", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", session["Mcp-Session-Id"])
	response, err := web.Client().Do(r)
	if err != nil || response.StatusCode != http.StatusNoContent {
		t.Fatal(response, err)
	}
	response.Body.Close()
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("requests of a session that was deleted are not answered")
	}
}

// askFor sends one message of a session, or resumes a stream after an event.
func askFor(ctx context.Context, web *httptest.Server, session map[string]string, method, body, last string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, web.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range session {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if last != "" {
		r.Header.Set("Last-Event-Id", last)
	}
	return web.Client().Do(r)
}

// TestClientThatComesBackForItsAnswer: a lost connection does not end the run of
// a client that resumes the stream in time.
func TestClientThatComesBackForItsAnswer(t *testing.T) {
	t.Parallel()
	b := offer(t, serve.Options{}, "/*---\nkind: script\nname: slow\ndescription: Takes its time.\n---*/\nexport default () => new Promise((done) => setTimeout(() => done('heard at last'), 6000))\n")
	web := b.listen(t, serve.HTTPOptions{})
	session := begin(t, web, "2025-11-25")
	ask := func(ctx context.Context, method, body, last string) *http.Response {
		t.Helper()
		response, err := askFor(ctx, web, session, method, body, last)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	first := ask(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`, "")
	defer first.Body.Close()
	head := make([]byte, 200)
	n, err := first.Body.Read(head) // the event that names the stream
	if err != nil {
		t.Fatal(err)
	}
	_, id, ok := strings.Cut(string(head[:n]), "id: ")
	id, _, _ = strings.Cut(id, "\n")
	if !ok || id == "" {
		t.Fatalf("%s", head[:n])
	}
	hangUp()
	again := ask(t.Context(), http.MethodGet, "", id)
	for again.StatusCode == http.StatusConflict { // the server has not heard yet that the first is gone
		again.Body.Close()
		again = ask(t.Context(), http.MethodGet, "", id)
	}
	defer again.Body.Close()
	if all, err := io.ReadAll(again.Body); err != nil || !strings.Contains(string(all), "heard at last") {
		t.Errorf("%s, %v", all, err)
	}
}
