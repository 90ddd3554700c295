package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestHopsKeepTheirPromises: whatever chain of redirects servers think of, the
// headers of a call stay at its origin, bodies go to no other, https is not left.
func TestHopsKeepTheirPromises(t *testing.T) {
	t.Parallel()
	hosts := []string{"a.test", "sub.a.test", "b.test", "a.test:8443", "a.test:443", "A.TEST", "a.test.", "[::1]", "[0::1]:80"}
	rapid.Check(t, func(t *rapid.T) {
		first, err := parse(rapid.SampledFrom([]string{"http://", "https://"}).Draw(t, "scheme") + rapid.SampledFrom(hosts).Draw(t, "host") + "/")
		if err != nil {
			t.Fatal(err)
		}
		at := hop{
			method: rapid.SampledFrom([]string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}).Draw(t, "method"), target: first,
			body: rapid.SampledFrom([]string{"", "body"}).Draw(t, "body"), headers: map[string]string{"X-Key": "k", "content-type": "t"},
		}
		left := false
		for range rapid.IntRange(1, 6).Draw(t, "hops") {
			status := rapid.SampledFrom([]int{301, 302, 303, 307, 308}).Draw(t, "status")
			location := rapid.SampledFrom([]string{"", "http:", "https:"}).Draw(t, "scheme") + "//" + rapid.SampledFrom([]string{"", "", "", "u:p@"}).Draw(t, "user") +
				rapid.SampledFrom(hosts).Draw(t, "host") + rapid.SampledFrom([]string{"", "/x", "/../y?q"}).Draw(t, "path")
			if rapid.Bool().Draw(t, "relative") {
				location = rapid.SampledFrom([]string{"/x", "y", "../z", "?q", "#f", "./."}).Draw(t, "reference")
			}
			next, err := at.follow(status, location)
			if err != nil {
				return
			}
			same := sameOrigin(at.target, next.target)
			left = left || !same
			switch {
			case left && next.headers != nil:
				t.Fatalf("%s has the headers of %s", next.target, first)
			case !left && next.headers["X-Key"] != "k":
				t.Fatalf("%s lacks the headers of its own origin", next.target)
			case !same && (next.body != "" || next.method != "GET" && next.method != "HEAD" && next.method != "OPTIONS"):
				t.Fatalf("%s %s was sent %q from %s", next.method, next.target, next.body, at.target)
			case at.target.Scheme == "https" && next.target.Scheme != "https":
				t.Fatalf("%s leaves https", next.target)
			case next.target.User != nil || strings.Contains(next.target.String(), "u:p"):
				t.Fatalf("%s has credentials", next.target)
			case next.body == "" && at.body != "" && next.headers["content-type"] != "":
				t.Fatal("the type of a body without the body")
			}
			again, err := parse(next.target.String())
			if err != nil || again.String() != next.target.String() {
				t.Fatalf("%s is %v when it is read again: %v", next.target, again, err)
			}
			at = next
		}
	})
}

func TestHopToPlainHTTPIsRefused(t *testing.T) {
	t.Parallel()
	target, err := parse("https://a.test/x")
	if err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{"http://a.test/x", "HTTP://a.test:443/", "http://b.test"} {
		if _, err := (hop{method: http.MethodGet, target: target}).follow(http.StatusFound, location); err == nil || !strings.Contains(err.Error(), "from https to") {
			t.Errorf("%s: %v", location, err)
		}
	}
}

// FuzzLocation: a redirect to whatever text is refused, or leads to an address
// that means the same when it is read again, without credentials.
func FuzzLocation(f *testing.F) {
	for _, s := range []string{"/x", "//u:p@h", "http:////h", "http://[::1%25x]/", "\\\\h\\x", "http://h/%2e%2e%2fx", "?\x00", "http://１２７.0.0.1/", "https:h", ":", "//h:0080/..;/x"} {
		f.Add(s, 302)
	}
	base, err := parse("https://a.test/b/c?d")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, location string, status int) {
		next, err := hop{method: "POST", target: base, body: "b", headers: secrets}.follow(status, location)
		if err != nil {
			return
		}
		again, err := parse(next.target.String())
		if err != nil || again.String() != next.target.String() || next.target.User != nil || next.target.Scheme != "https" {
			t.Errorf("%q leads to %v, and that to %v, %v", location, next.target, again, err)
		}
		if !sameOrigin(base, next.target) && (next.headers != nil || next.body != "") {
			t.Errorf("%q takes what was sent along", location)
		}
		// Who reads the address as net/http does reaches the host that was decided on.
		if u, err := url.Parse(next.target.String()); err != nil || u.Host != next.target.Host || fmt.Sprint(u.Port()) != next.target.Port() {
			t.Errorf("%q is at %v to net/http, %v", location, u, err)
		}
	})
}
