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
	href, _ := u.Parts()
	return href
}

// Parts is the whole address, which is ASCII, and where its parts are in it.
func (u *URL) Parts() (href string, at Offsets) {
	var b strings.Builder
	b.WriteString(u.scheme)
	b.WriteByte(':')
	at.Protocol = b.Len()
	if u.hasHost {
		b.WriteString("//")
	}
	at.Username = b.Len()
	b.WriteString(u.username)
	at.UsernameEnd = b.Len()
	if u.password != "" {
		b.WriteByte(':')
	}
	at.Password = b.Len()
	b.WriteString(u.password)
	at.PasswordEnd = b.Len()
	if u.hasHost && u.credentials() {
		b.WriteByte('@')
	}
	at.Host = b.Len()
	b.WriteString(u.host)
	at.HostEnd = b.Len()
	if u.port >= 0 {
		b.WriteByte(':')
	}
	at.Port = b.Len()
	b.WriteString(u.Port())
	at.PortEnd = b.Len()
	if !u.hasHost && !u.opaque && len(u.path) > 1 && u.path[0] == "" {
		b.WriteString("/.") // or the path would look like a host
	}
	at.Path = b.Len()
	u.writePath(&b)
	at.Search = b.Len()
	if u.hasQuery {
		b.WriteByte('?')
		b.WriteString(u.query)
	}
	at.Hash = b.Len()
	if u.hasFragment {
		b.WriteByte('#')
		b.WriteString(u.fragment)
	}
	return b.String(), at
}

// Offsets is where the parts of an address begin, and end if something stands between them
// and what follows.
type Offsets struct {
	Protocol                     int // where it ends
	Username, UsernameEnd        int
	Password, PasswordEnd        int
	Host, HostEnd, Port, PortEnd int
	Path, Search, Hash           int
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
