package web

import (
	"maps"
	"net/http"
	"net/url"
)

// maxRedirects is how many redirects one call follows.
const maxRedirects = 5

// hop is one request of a call. The request is made from this value alone: nothing of an
// earlier one is copied into it.
type hop struct {
	method string
	target *url.URL
	body   string
	// headers are the call's; nil from the first redirect to another origin on.
	headers map[string]string
}

// redirects reports whether a status asks for another request.
func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow is the request that a redirect asks for. It may be refused.
func (h hop) follow(status int, location string) (hop, error) {
	reference, err := url.Parse(location)
	if err != nil {
		return hop{}, refuse("it redirects to an address that cannot be read")
	}
	target, err := parse(h.target.ResolveReference(reference).String())
	if err != nil {
		return hop{}, refuse("it redirects, and that is not followed: %v", err)
	}
	next := hop{method: h.method, target: target, body: h.body, headers: maps.Clone(h.headers)}
	if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect {
		next.body = ""
		if next.method != http.MethodHead {
			next.method = http.MethodGet
		}
		for name := range next.headers {
			switch http.CanonicalHeaderKey(name) {
			case "Content-Type", "Content-Encoding", "Content-Language", "Content-Location":
				delete(next.headers, name) // of a body that is not sent again
			}
		}
	}
	switch {
	case h.target.Scheme == "https" && target.Scheme != "https":
		return hop{}, refuse("it redirects from https to %s, where anybody could listen", shown(target))
	case sameOrigin(h.target, target):
		return next, nil
	case next.body != "":
		return hop{}, refuse("it redirects the body of the request to %s, which is another origin; ask there if that is meant", shown(target))
	case next.method != http.MethodGet && next.method != http.MethodHead && next.method != http.MethodOptions:
		return hop{}, refuse("it redirects a %s to %s, which is another origin; ask there if that is meant", next.method, shown(target))
	}
	next.headers = nil
	return next, nil
}
