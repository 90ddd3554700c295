package web

import (
	"net/url"
	"path"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/dialguard"
)

// hostMatches reports whether a pattern names the host of an address.
func hostMatches(pattern string, u *url.URL) bool {
	name, p := dialguard.CutPort(pattern)
	if p != "" && p != port(u) {
		return false
	}
	host := u.Hostname()
	if below, ok := strings.CutPrefix(name, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return host == name
}

// checkHost holds an address against the operator's list.
func (f *Fetch) checkHost(u *url.URL) error {
	if len(f.Hosts) == 0 {
		return nil
	}
	for _, pattern := range append(append([]string(nil), f.Hosts...), f.Private...) {
		if hostMatches(pattern, u) {
			return nil
		}
	}
	return refuse("the host %s is not one that the operator lets scripts ask; there are %s", u.Host, strings.Join(f.Hosts, ", "))
}

// pathMatches is path.Match for what is below as well: ** at the end.
func pathMatches(pattern, given string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/**"); ok {
		if prefix == "" {
			return true
		}
		parts := strings.Count(prefix, "/") + 1
		segments := strings.SplitN(given, "/", parts+1)
		if len(segments) < parts {
			return false
		}
		matched, err := path.Match(prefix, strings.Join(segments[:parts], "/"))
		return err == nil && matched
	}
	matched, err := path.Match(pattern, given)
	return err == nil && matched
}
