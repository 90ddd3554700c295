package scripttools

import "strings"

// tomlPlaces is where a key and its value stand. Width is how many characters
// a value on one line takes.
type tomlPlaces struct {
	key, value place
	width      int
}

// tomlScan walks over TOML to learn where its keys and values stand. It does
// not judge: of what is not TOML it notes what it can, and always moves on.
type tomlScan struct {
	s         string
	i         int
	line, col int
	depth     int
	tooDeep   bool
	places    map[string]tomlPlaces
	tables    map[string]int // arrays of tables: how many there are so far
}

func scanTOML(block string, first int) *tomlScan {
	s := &tomlScan{s: block, line: first, col: 1, places: map[string]tomlPlaces{}, tables: map[string]int{}}
	prefix := ""
	for s.skip(" \t\n"); s.i < len(s.s) && !s.tooDeep; s.skip(" \t\n") {
		if s.peek() == '[' {
			prefix = s.heading()
			continue
		}
		s.pair(prefix)
	}
	return s
}

func (s *tomlScan) at() place { return place{s.line, s.col} }

func (s *tomlScan) peek() byte {
	if s.i < len(s.s) {
		return s.s[s.i]
	}
	return 0
}

func (s *tomlScan) step() {
	switch c := s.s[s.i]; {
	case c == '\n':
		s.line, s.col = s.line+1, 1
	case c&0xC0 != 0x80: // not inside a character
		s.col++
	}
	s.i++
}

// skip passes over the characters of set, and comments.
func (s *tomlScan) skip(set string) {
	for s.i < len(s.s) {
		switch {
		case strings.IndexByte(set, s.s[s.i]) >= 0:
			s.step()
		case s.s[s.i] == '#' && strings.Contains(set, "\n"):
			for s.i < len(s.s) && s.s[s.i] != '\n' {
				s.step()
			}
		default:
			return
		}
	}
}

// heading reads [a.b] or [[a.b]] and returns the path of the table it opens.
func (s *tomlScan) heading() string {
	s.step()
	array := s.peek() == '['
	if array {
		s.step()
	}
	path := s.key("", true)
	if array {
		count := s.tables[path]
		s.tables[path] = count + 1
		path = indexPath(path, count)
		s.note(path, s.at(), s.at(), 0)
	}
	for s.i < len(s.s) && s.s[s.i] != '\n' {
		s.step()
	}
	return path
}

// key reads a dotted key below prefix and returns its path. In a heading, a
// part that names an array of tables means its last table.
func (s *tomlScan) key(prefix string, heading bool) string {
	path := prefix
	for parts := 0; ; parts++ {
		if parts > maxDepth {
			s.tooDeep = true
			return path
		}
		s.skip(" \t")
		at := s.at()
		if count := s.tables[path]; heading && count > 0 {
			path = indexPath(path, count-1)
		}
		path = keyPath(path, s.word("=.]}\n#"))
		s.note(path, at, at, 0)
		s.skip(" \t")
		if s.peek() != '.' {
			return path
		}
		s.step()
	}
}

// note keeps the first place of a path.
func (s *tomlScan) note(path string, key, value place, width int) {
	if _, have := s.places[path]; !have {
		s.places[path] = tomlPlaces{key, value, width}
	}
}

// pair reads key = value; in a line that is none it moves to the next one.
func (s *tomlScan) pair(prefix string) {
	path := s.key(prefix, false)
	if s.peek() != '=' {
		for s.i < len(s.s) && s.s[s.i] != '\n' {
			s.step()
		}
		return
	}
	s.step()
	s.value(path)
}

func (s *tomlScan) value(path string) {
	if s.depth++; s.depth > maxDepth {
		s.tooDeep = true
	}
	defer func() { s.depth-- }()
	if s.tooDeep {
		return
	}
	s.skip(" \t")
	at, from := s.at(), s.col
	switch s.peek() {
	case '[':
		s.list(path)
	case '{':
		s.inline(path)
	default:
		s.word(",]}\n#")
	}
	have := s.places[path]
	if have.key == (place{}) {
		have.key = at
	}
	have.value, have.width = at, 0
	if s.line == at.line {
		have.width = s.col - from
	}
	s.places[path] = have
}

func (s *tomlScan) list(path string) {
	s.step()
	for i := 0; !s.tooDeep; i++ {
		s.skip(" \t\n,")
		switch s.peek() {
		case ']':
			s.step()
			return
		case 0, '}':
			return
		}
		s.value(indexPath(path, i))
	}
}

func (s *tomlScan) inline(path string) {
	s.step()
	for !s.tooDeep {
		s.skip(" \t\n,")
		switch s.peek() {
		case '}':
			s.step()
			return
		case 0, ']':
			return
		}
		before := s.i
		s.pair(path)
		if s.i == before {
			s.step()
		}
	}
}

// word reads a quoted string, or a bare run up to one of the bytes in stop,
// and returns what it stands for where that is plain to see.
func (s *tomlScan) word(stop string) string {
	quote := s.peek()
	if quote != '"' && quote != '\'' {
		from := s.i
		for s.i < len(s.s) && strings.IndexByte(stop, s.s[s.i]) < 0 {
			s.step()
		}
		return strings.TrimRight(s.s[from:s.i], " \t")
	}
	fence := string(quote)
	if strings.HasPrefix(s.s[s.i:], strings.Repeat(fence, 3)) {
		fence = strings.Repeat(fence, 3)
	}
	for range fence {
		s.step()
	}
	from := s.i
	for s.i < len(s.s) && !strings.HasPrefix(s.s[s.i:], fence) {
		if len(fence) == 1 && s.s[s.i] == '\n' {
			return s.s[from:s.i]
		}
		if quote == '"' && s.s[s.i] == '\\' && s.i+1 < len(s.s) {
			s.step()
		}
		s.step()
	}
	text := s.s[from:s.i]
	for range fence {
		if s.i < len(s.s) {
			s.step()
		}
	}
	for len(fence) == 3 && s.peek() == quote { // """a"""" ends in a quote of its own
		s.step()
	}
	return text
}
