package web

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// hostMatches reports whether a pattern names the host of an address. A pattern without
// a port matches every port.
func hostMatches(p dialguard.Pattern, u *url.URL) bool {
	return p.Names(u.Hostname()) && (p.Port == 0 || strconv.Itoa(p.Port) == port(u))
}

// checkHost refuses a host that is not on the operator's list.
func (f *Fetch) checkHost(u *url.URL) error {
	if len(f.Hosts) == 0 {
		return nil
	}
	for _, pattern := range slices.Concat(f.Hosts, f.Private) {
		if p, err := dialguard.ParsePattern(pattern); err == nil && hostMatches(p, u) { // Private has networks too
			return nil
		}
	}
	return refuse("the operator does not allow the host %s; allowed: %s", u.Host, strings.Join(f.Hosts, ", "))
}

// pathMatches is path.Match, with /** at the end for everything below.
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
