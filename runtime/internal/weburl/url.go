package weburl

import (
	"strconv"
	"strings"
)

// URL is an address, taken apart. Its fields are as they are written in the address.
type URL struct {
	scheme, username, password string

	host    string
	hasHost bool
	port    int // -1 for none, or the default of the scheme

	path   []string
	opaque bool // the path is one text, path[0]

	query, fragment       string
	hasQuery, hasFragment bool
}

// Parse parses a text, relative to base if that is not nil. It is false for a text that is no
// address.
func Parse(text string, base *URL) (*URL, bool) {
	text = strings.TrimFunc(text, func(c rune) bool { return c <= ' ' })
	u := &URL{port: -1}
	if !parse(text, base, u, stateNone) {
		return nil, false
	}
	return u, true
}

// defaultPorts are the special schemes; file has no port.
var defaultPorts = map[string]int{"ftp": 21, "http": 80, "https": 443, "ws": 80, "wss": 443, "file": -1}

// defaultPort is the port of a scheme; -1 if it has none.
func defaultPort(scheme string) int {
	if port, ok := defaultPorts[scheme]; ok {
		return port
	}
	return -1
}

func special(scheme string) bool {
	_, ok := defaultPorts[scheme]
	return ok
}

// Href is the whole address.
func (u *URL) Href() string {
	var b strings.Builder
	b.WriteString(u.scheme)
	b.WriteByte(':')
	if u.hasHost {
		b.WriteString("//")
		if u.credentials() {
			b.WriteString(u.username)
			if u.password != "" {
				b.WriteByte(':')
				b.WriteString(u.password)
			}
			b.WriteByte('@')
		}
		b.WriteString(u.host)
		if u.port >= 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(u.port))
		}
	} else if !u.opaque && len(u.path) > 1 && u.path[0] == "" {
		b.WriteString("/.") // or the path would look like a host
	}
	u.writePath(&b)
	if u.hasQuery {
		b.WriteByte('?')
		b.WriteString(u.query)
	}
	if u.hasFragment {
		b.WriteByte('#')
		b.WriteString(u.fragment)
	}
	return b.String()
}

func (u *URL) writePath(b *strings.Builder) {
	for _, part := range u.path {
		if !u.opaque {
			b.WriteByte('/')
		}
		b.WriteString(part)
	}
}

func (u *URL) credentials() bool { return u.username != "" || u.password != "" }

// Protocol is the scheme with its colon.
func (u *URL) Protocol() string { return u.scheme + ":" }

// Username is the name before the host; empty for none.
func (u *URL) Username() string { return u.username }

// Password is the password before the host; empty for none.
func (u *URL) Password() string { return u.password }

// Hostname is the host without its port; empty for none.
func (u *URL) Hostname() string { return u.host }

// Port is the port; empty for none and for the scheme's own.
func (u *URL) Port() string {
	if u.port < 0 {
		return ""
	}
	return strconv.Itoa(u.port)
}

// Pathname is the path.
func (u *URL) Pathname() string {
	var b strings.Builder
	u.writePath(&b)
	return b.String()
}

// Search is the query with its question mark; empty for an empty one.
func (u *URL) Search() string {
	if u.query == "" {
		return ""
	}
	return "?" + u.query
}

// Hash is the fragment with its number sign; empty for an empty one.
func (u *URL) Hash() string {
	if u.fragment == "" {
		return ""
	}
	return "#" + u.fragment
}

// Origin is scheme, host and port of an address that has an origin, and else "null".
func (u *URL) Origin() string {
	switch u.scheme {
	case "blob":
		inner, ok := Parse(u.Pathname(), nil)
		if ok && (inner.scheme == "http" || inner.scheme == "https") {
			return inner.Origin()
		}
	case "ftp", "http", "https", "ws", "wss":
		if port := u.Port(); port != "" {
			return u.scheme + "://" + u.host + ":" + port
		}
		return u.scheme + "://" + u.host
	}
	return "null"
}
