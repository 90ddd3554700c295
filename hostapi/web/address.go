package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// parse accepts an address that every reader takes for the same, and normalizes it:
// scheme and host in lower case, no default port, no fragment. Errors do not repeat an
// address that cannot be read: there may be a password in it.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, refuse("the url cannot be read; write one such as https://example.com/path")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse("the url is not http or https; write it with https:// or http:// before it")
	case u.User != nil:
		return nil, refuse("credentials in URLs are not supported; set a header")
	case u.Host == "" || u.Opaque != "":
		return nil, refuse("the url names no host; write one such as https://example.com/path")
	}
	if u.Host, err = oneHost(u); err != nil {
		return nil, err
	}
	if climbs(u.Path) {
		return nil, refuse("the path of %s has . or .. in it; write where it leads", shown(u))
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// oneHost is the host of an address, with its port unless it is the default.
func oneHost(u *url.URL) (string, error) {
	name, err := dialguard.HostName(u.Hostname())
	if err != nil {
		return "", err
	}
	bracketed := strings.HasPrefix(u.Host, "[")
	if bracketed != strings.Contains(name, ":") {
		return "", refuse("%q is not an address; only IPv6 addresses stand in brackets", u.Hostname())
	}
	if bracketed {
		name = "[" + name + "]"
	}
	text := u.Port()
	if text == "" {
		return name, nil
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil || number == 0 {
		return "", refuse("the port %s of the url is not one of 1 to 65535", text)
	}
	if int(number) == defaultPorts[u.Scheme] {
		return name, nil
	}
	return name + ":" + strconv.FormatUint(number, 10), nil
}

var defaultPorts = map[string]int{"http": 80, "https": 443}

// climbs reports whether some server would find . or .. among the segments of a
// path: decoded once more than it should be, with \ for /, or before a ;.
func climbs(path string) bool {
	for range 4 {
		for _, segment := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) {
			if segment, _, _ = strings.Cut(segment, ";"); segment == "." || segment == ".." {
				return true
			}
		}
		decoded, err := url.PathUnescape(path)
		if err != nil || decoded == path {
			return false
		}
		path = decoded
	}
	return true // an honest path is not encoded five times
}

// port is the port of an address, or its scheme's default.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return strconv.Itoa(defaultPorts[u.Scheme])
}

// sameOrigin reports whether two parsed addresses have the same scheme, host and port.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// shown is an address as people read it and patterns match it: without credentials and
// query, which may be secrets.
func shown(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }
