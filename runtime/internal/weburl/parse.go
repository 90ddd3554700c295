package weburl

import (
	"slices"
	"strings"
)

// state is where the parser is. The names are those of the standard.
type state int

const (
	stateNone state = iota
	stateSchemeStart
	stateNoScheme
	stateRelative
	stateRelativeSlash
	stateAuthority
	stateHost
	stateHostname
	statePort
	stateFile
	stateFileSlash
	stateFileHost
	statePathStart
	statePath
	stateOpaquePath
	stateQuery
	stateFragment
	stateDone
)

// parser is one pass over a text.
type parser struct {
	rest     string // what is not read yet
	base     *URL
	u        *URL
	override state // set if one part of u is replaced
}

// parse reads a text into u, from a state if one part of u is to be replaced. It is false for
// what is not valid; u may be changed then, as the standard says.
func parse(text string, base, u *URL, override state) bool {
	if strings.ContainsAny(text, "\t\n\r") {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	}
	p := &parser{rest: text, base: base, u: u, override: override}
	at := override
	if at == stateNone {
		at = stateSchemeStart
	}
	for at != stateDone {
		next, ok := p.step(at)
		if !ok {
			return false
		}
		at = next
	}
	return true
}

// step reads one part and returns the next state.
func (p *parser) step(at state) (next state, ok bool) {
	switch at {
	case stateSchemeStart:
		return p.scheme()
	case stateNoScheme:
		return p.noScheme()
	case stateRelative:
		return p.relative()
	case stateRelativeSlash:
		return p.relativeSlash()
	case stateAuthority:
		return p.authority()
	case stateHost, stateHostname:
		return p.host()
	case statePort:
		return p.port()
	case stateFile:
		return p.file()
	case stateFileSlash:
		return p.fileSlash()
	case stateFileHost:
		return p.fileHost()
	case statePathStart:
		return p.pathStart()
	case statePath:
		return p.path()
	case stateOpaquePath:
		return p.opaquePath()
	case stateQuery:
		return p.query()
	case stateFragment:
		p.u.fragment = encode(p.rest, inFragment)
	}
	return stateDone, true
}

// slash reports whether the rest begins with a slash, or with a backslash if that is one.
func (p *parser) slash() bool {
	return p.rest != "" && (p.rest[0] == '/' || p.rest[0] == '\\' && special(p.u.scheme))
}

func (p *parser) scheme() (state, bool) {
	end := 0
	for end < len(p.rest) && (isAlpha(p.rest[end]) || end > 0 && (isDigit(p.rest[end]) || strings.IndexByte("+-.", p.rest[end]) >= 0)) {
		end++
	}
	if end == 0 || end == len(p.rest) || p.rest[end] != ':' {
		return stateNoScheme, p.override == stateNone
	}
	scheme := strings.ToLower(p.rest[:end])
	u := p.u
	if p.override != stateNone {
		if special(u.scheme) != special(scheme) || (u.credentials() || u.port >= 0) && scheme == "file" || u.scheme == "file" && u.host == "" {
			return stateDone, true
		}
		if u.scheme = scheme; u.port == defaultPort(scheme) {
			u.port = -1
		}
		return stateDone, true
	}
	u.scheme, p.rest = scheme, p.rest[end+1:]
	switch {
	case scheme == "file":
		return stateFile, true
	case special(scheme) && p.base != nil && p.base.scheme == scheme && !strings.HasPrefix(p.rest, "//"):
		return stateRelative, true
	case special(scheme):
		p.rest = strings.TrimLeft(p.rest, "/\\")
		return stateAuthority, true
	case strings.HasPrefix(p.rest, "//"):
		p.rest = p.rest[2:]
		return stateAuthority, true
	case strings.HasPrefix(p.rest, "/"):
		p.rest = p.rest[1:]
		return statePath, true
	}
	u.opaque = true
	return stateOpaquePath, true
}

func (p *parser) noScheme() (state, bool) {
	base, u := p.base, p.u
	if base == nil || base.opaque && !strings.HasPrefix(p.rest, "#") {
		return stateDone, false
	}
	if base.opaque {
		u.scheme, u.path, u.opaque, u.query, u.hasQuery = base.scheme, base.path, true, base.query, base.hasQuery
		return p.fragmentFollows()
	}
	if base.scheme == "file" {
		return stateFile, true
	}
	return stateRelative, true
}

func (p *parser) fragmentFollows() (state, bool) {
	p.rest, p.u.hasFragment = p.rest[1:], true
	return stateFragment, true
}

func (p *parser) queryFollows() (state, bool) {
	p.rest, p.u.query, p.u.hasQuery = p.rest[1:], "", true
	return stateQuery, true
}

// takeAuthority takes name, password, host and port of the base.
func (p *parser) takeAuthority() {
	b, u := p.base, p.u
	u.username, u.password, u.host, u.hasHost, u.port = b.username, b.password, b.host, b.hasHost, b.port
}

func (p *parser) relative() (state, bool) {
	u, base := p.u, p.base
	u.scheme = base.scheme
	if p.slash() {
		p.rest = p.rest[1:]
		return stateRelativeSlash, true
	}
	p.takeAuthority()
	next, path := p.takePath()
	if path {
		u.shorten()
	}
	return next, true
}

// takePath takes the path and the query of the base, up to where a path of the text begins.
func (p *parser) takePath() (next state, path bool) {
	u, base := p.u, p.base
	u.path, u.query, u.hasQuery = slices.Clone(base.path), base.query, base.hasQuery
	switch {
	case p.rest == "":
		return stateDone, false
	case p.rest[0] == '?':
		next, _ = p.queryFollows()
		return next, false
	case p.rest[0] == '#':
		next, _ = p.fragmentFollows()
		return next, false
	}
	u.query, u.hasQuery = "", false
	return statePath, true
}

func (p *parser) relativeSlash() (state, bool) {
	if special(p.u.scheme) && p.slash() {
		p.rest = strings.TrimLeft(p.rest, "/\\")
		return stateAuthority, true
	}
	if strings.HasPrefix(p.rest, "/") {
		p.rest = p.rest[1:]
		return stateAuthority, true
	}
	p.takeAuthority()
	return statePath, true
}

// endOfAuthority is where the host and what belongs to it ends.
func (p *parser) endOfAuthority() int {
	ends := "/?#"
	if special(p.u.scheme) {
		ends = "/?#\\"
	}
	if end := strings.IndexAny(p.rest, ends); end >= 0 {
		return end
	}
	return len(p.rest)
}

func (p *parser) authority() (state, bool) {
	end := p.endOfAuthority()
	if at := strings.LastIndexByte(p.rest[:end], '@'); at >= 0 {
		if at == end-1 {
			return stateDone, false // a name, and no host
		}
		name, password, _ := strings.Cut(p.rest[:at], ":")
		p.u.username, p.u.password = encode(name, inUserinfo), encode(password, inUserinfo)
		p.rest = p.rest[at+1:]
	}
	return stateHost, true
}

func (p *parser) host() (state, bool) {
	u := p.u
	if p.override != stateNone && u.scheme == "file" {
		return stateFileHost, true
	}
	end := p.endOfAuthority()
	colon := hostColon(p.rest[:end])
	if colon >= 0 {
		end = colon
	}
	text := p.rest[:end]
	switch {
	case colon >= 0 && (text == "" || p.override == stateHostname):
		return stateDone, false
	case text == "" && special(u.scheme):
		return stateDone, false
	case text == "" && p.override != stateNone && (u.credentials() || u.port >= 0):
		return stateDone, false
	}
	host, ok := parseHost(text, special(u.scheme))
	if !ok {
		return stateDone, false
	}
	u.host, u.hasHost, p.rest = host, true, p.rest[end:]
	if colon >= 0 {
		p.rest = p.rest[1:]
		return statePort, true
	}
	if p.override != stateNone {
		return stateDone, true
	}
	return statePathStart, true
}

// hostColon is the first colon outside of brackets, or -1.
func hostColon(text string) int {
	inside := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case c == ':' && !inside:
			return i
		}
	}
	return -1
}

func (p *parser) port() (state, bool) {
	end, port := 0, 0
	for end < len(p.rest) && isDigit(p.rest[end]) {
		if port = port*10 + int(p.rest[end]-'0'); port > 65535 {
			return stateDone, false
		}
		end++
	}
	if end < len(p.rest) && p.override == stateNone && end != p.endOfAuthority() {
		return stateDone, false
	}
	if end > 0 {
		if p.u.port = port; port == defaultPort(p.u.scheme) {
			p.u.port = -1
		}
	}
	if p.override != stateNone {
		return stateDone, end > 0
	}
	p.rest = p.rest[end:]
	return statePathStart, true
}
