package weburl

import (
	"strings"
)

func (p *parser) file() (state, bool) {
	u, base := p.u, p.base
	u.scheme, u.host, u.hasHost = "file", "", true
	switch {
	case p.slash():
		p.rest = p.rest[1:]
		return stateFileSlash, true
	case base == nil || base.scheme != "file":
		return statePath, true
	}
	u.host, u.hasHost = base.host, base.hasHost
	next, path := p.takePath()
	switch {
	case path && beginsWithDrive(p.rest):
		u.path = nil
	case path:
		u.shorten()
	}
	return next, true
}

func (p *parser) fileSlash() (state, bool) {
	if p.slash() {
		p.rest = p.rest[1:]
		return stateFileHost, true
	}
	if base := p.base; base != nil && base.scheme == "file" {
		p.u.host, p.u.hasHost = base.host, base.hasHost
		if !beginsWithDrive(p.rest) && len(base.path) > 0 && isDrive(base.path[0], ":") {
			p.u.path = append(p.u.path, base.path[0])
		}
	}
	return statePath, true
}

func (p *parser) fileHost() (state, bool) {
	end := len(p.rest)
	if at := strings.IndexAny(p.rest, "/\\?#"); at >= 0 {
		end = at
	}
	text := p.rest[:end]
	if p.override == stateNone && isDrive(text, ":|") {
		return statePath, true // it is no host, and the path begins with it
	}
	host := ""
	if text != "" {
		var ok bool
		if host, ok = parseHost(text, true); !ok {
			return stateDone, false
		}
		if host == "localhost" {
			host = ""
		}
	}
	p.u.host, p.u.hasHost, p.rest = host, true, p.rest[end:]
	if p.override != stateNone {
		return stateDone, true
	}
	return statePathStart, true
}

func (p *parser) pathStart() (state, bool) {
	switch {
	case special(p.u.scheme):
		if p.slash() {
			p.rest = p.rest[1:]
		}
		return statePath, true
	case p.override == stateNone && strings.HasPrefix(p.rest, "?"):
		return p.queryFollows()
	case p.override == stateNone && strings.HasPrefix(p.rest, "#"):
		return p.fragmentFollows()
	case p.rest != "":
		p.rest = strings.TrimPrefix(p.rest, "/")
		return statePath, true
	case p.override != stateNone && !p.u.hasHost:
		p.u.path = append(p.u.path, "")
	}
	return stateDone, true
}

func (p *parser) path() (state, bool) {
	ends := "/?#"
	switch {
	case p.override != stateNone && special(p.u.scheme):
		ends = "/\\"
	case p.override != stateNone:
		ends = "/"
	case special(p.u.scheme):
		ends = "/?#\\"
	}
	u := p.u
	for {
		end := strings.IndexAny(p.rest, ends)
		last := end < 0
		if last {
			end = len(p.rest)
		}
		part := p.rest[:end]
		slash := !last && (p.rest[end] == '/' || p.rest[end] == '\\')
		switch {
		case isDots(part, 2):
			if u.shorten(); !slash {
				u.path = append(u.path, "")
			}
		case isDots(part, 1):
			if !slash {
				u.path = append(u.path, "")
			}
		default:
			if u.scheme == "file" && len(u.path) == 0 && isDrive(part, ":|") {
				part = part[:1] + ":"
			}
			u.path = append(u.path, encode(part, inPath))
		}
		p.rest = p.rest[end:]
		switch {
		case last:
			return stateDone, true
		case slash:
			p.rest = p.rest[1:]
		case p.rest[0] == '?':
			return p.queryFollows()
		default:
			return p.fragmentFollows()
		}
	}
}

func (p *parser) opaquePath() (state, bool) {
	end := len(p.rest)
	if at := strings.IndexAny(p.rest, "?#"); at >= 0 {
		end = at
	}
	text := encode(p.rest[:end], inControl)
	if end < len(p.rest) && strings.HasSuffix(text, " ") {
		text = text[:len(text)-1] + "%20" // or it would be lost without what follows
	}
	p.u.path, p.rest = []string{text}, p.rest[end:]
	switch {
	case p.rest == "":
		return stateDone, true
	case p.rest[0] == '?':
		return p.queryFollows()
	}
	return p.fragmentFollows()
}

func (p *parser) query() (state, bool) {
	end := len(p.rest)
	if at := strings.IndexByte(p.rest, '#'); at >= 0 && p.override == stateNone {
		end = at
	}
	in := inQuery
	if special(p.u.scheme) {
		in = inSpecialQuery
	}
	p.u.query, p.rest = encode(p.rest[:end], in), p.rest[end:]
	if p.rest == "" {
		return stateDone, true
	}
	return p.fragmentFollows()
}

// shorten removes the last part of the path, but not a drive of Windows.
func (u *URL) shorten() {
	if u.scheme == "file" && len(u.path) == 1 && isDrive(u.path[0], ":") {
		return
	}
	if len(u.path) > 0 {
		u.path = u.path[:len(u.path)-1]
	}
}

// isDrive reports whether a text is a drive of Windows: a letter and one of some marks.
func isDrive(text, marks string) bool {
	return len(text) == 2 && isAlpha(text[0]) && strings.IndexByte(marks, text[1]) >= 0
}

func beginsWithDrive(text string) bool {
	return len(text) >= 2 && isDrive(text[:2], ":|") && (len(text) == 2 || strings.IndexByte("/\\?#", text[2]) >= 0)
}

// isDots reports whether a part of a path is n dots, of which each may be escaped.
func isDots(part string, n int) bool {
	for range n {
		switch {
		case strings.HasPrefix(part, "."):
			part = part[1:]
		case len(part) >= 3 && part[:2] == "%2" && part[2]|0x20 == 'e':
			part = part[3:]
		default:
			return false
		}
	}
	return part == ""
}
