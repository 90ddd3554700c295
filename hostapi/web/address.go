package web

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"
)

// parse takes an address that means one thing only.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, refuse("%q is not an address such as https://example.com/path", text)
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse("the scheme of %q is not http or https", text)
	case u.User != nil:
		return nil, refuse("credentials in an address are sent to nobody; set a header")
	case host == "" || strings.ContainsAny(host, "%\\ \t"):
		return nil, refuse("%q names no host", text)
	case oddNumber(host):
		return nil, refuse("%q spells an address in numbers in a way that can be read in two; write it as 192.0.2.1", host)
	}
	for _, segment := range strings.Split(u.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, refuse("the path of %q has . or .. in it; write where it leads", text)
		}
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment = ""
	return u, nil
}

// oddNumber reports whether a host is a number to some, but no address to
// others: 2130706433, 0x7f.1, 0177.0.0.1.
func oddNumber(host string) bool {
	if net.ParseIP(host) != nil {
		return false
	}
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	last = strings.TrimSuffix(last, ".")
	if last == "" {
		return true
	}
	return strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
}

// port is that of an address, by its scheme if it has none.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

// canonical is what patterns are matched against: no query, no default port.
func canonical(u *url.URL) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && (u.Scheme != "http" || p != "80") && (u.Scheme != "https" || p != "443") {
		host += ":" + p
	}
	return u.Scheme + "://" + host + u.EscapedPath()
}

// hostPattern is name, *.name, or either with a port.
func checkHostPattern(pattern string) error {
	name, _ := cutPort(pattern)
	name = strings.TrimPrefix(name, "*.")
	if name == "" || strings.ContainsAny(name, "*/?#@ ") || strings.Contains(name, "://") {
		return fmt.Errorf("host %q: expected a name such as api.example.com, *.example.com or example.com:8443", pattern)
	}
	return nil
}

// cutPort splits host:port, where there is a port.
func cutPort(host string) (name, port string) {
	if name, port, err := net.SplitHostPort(host); err == nil {
		return strings.ToLower(name), port
	}
	return strings.ToLower(strings.Trim(host, "[]")), ""
}

// hostMatches reports whether a pattern names the host of an address.
func hostMatches(pattern string, u *url.URL) bool {
	name, p := cutPort(pattern)
	if p != "" && p != port(u) {
		return false
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
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
