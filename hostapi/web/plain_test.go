package web

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestFailuresAreSentences: what went wrong, where, and the key that allows it,
// without what an address may hide.
func TestFailuresAreSentences(t *testing.T) {
	t.Parallel()
	inner := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(inner.Close)
	private := strings.TrimPrefix(inner.URL, "http://")
	first := httptest.NewServer(http.RedirectHandler(inner.URL+"/x?key=secret", http.StatusFound))
	t.Cleanup(first.Close)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	fetch := &Fetch{Private: []string{strings.TrimPrefix(first.URL, "http://"), closed}}
	for address, want := range map[string]string{
		first.URL + "/a?token=secret": "it redirects to " + inner.URL + "/x: " + private + ` is 127.0.0.1, which is not an address of the public internet; the operator can allow it with "` + private + `" added to [fetch] private`,
		inner.URL:                     private + ` is 127.0.0.1, which is not an address of the public internet; the operator can allow it with "` + private + `" added to [fetch] private`,
		"http://" + closed:            "nothing answers at " + closed + ": the connection was refused",
		"localhost:18081/echo":        "the url is not http or https; write it with https:// or http:// before it",
	} {
		result, err := ask(t, fetch, map[string]any{"url": address}, "fetch")
		if err != nil || result.Output != want {
			t.Errorf("%s: %q, %v; expected %q", address, result.Output, err, want)
		}
	}
}
