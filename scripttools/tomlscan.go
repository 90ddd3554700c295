package scripttools

import "strings"

// tomlPlaces is where a key and its value stand. Width is how many characters
// a value on one line takes.
type tomlPlaces struct {
	key, value place
	width      int
	length     int // of the keys that lead here, in bytes
}

// maxKeys is how long the keys may be that lead to a value, in bytes: whoever
// decodes TOML spells them out for each.
const maxKeys = 1000

// tomlPath is the place of a key or an item in a document, of which there are as
// many as there are keys and items, however long their names are. 0 is the whole.
type tomlPath int

// noPath is a place that was not seen.
const noPath tomlPath = -1

// tomlStep is how a path goes on from another: to a key, or to an item.
type tomlStep struct {
	from tomlPath
	key  string
	item int // counted from 1; 0 for a key
}

// tomlScan walks over TOML to learn where its keys and values stand. It does
// not judge: of what is not TOML it notes what it can, and always moves on.
type tomlScan struct {
	s         string
	i         int
	line, col int
	depth     int
	tooDeep   bool
	steps     map[tomlStep]tomlPath
	places    []tomlPlaces     // of each path
	tables    map[tomlPath]int // arrays of tables: how many there are so far
}

func scanTOML(block string, first int) *tomlScan {
	s := &tomlScan{s: block, line: first, col: 1, steps: map[tomlStep]tomlPath{}, places: make([]tomlPlaces, 1), tables: map[tomlPath]int{}}
	prefix := tomlPath(0)
	for s.skip(" \t\n"); s.i < len(s.s) && !s.tooDeep; s.skip(" \t\n") {
		if s.peek() == '[' {
			prefix = s.heading()
			continue
		}
		s.pair(prefix)
	}
	return s
}

// key and item are where a path leads on; noPath where it was not seen to.
func (s *tomlScan) key(from tomlPath, key string) tomlPath {
	return s.step(tomlStep{from: from, key: key})
}
func (s *tomlScan) item(from tomlPath, i int) tomlPath {
	return s.step(tomlStep{from: from, item: i + 1})
}

func (s *tomlScan) step(step tomlStep) tomlPath {
	if path, ok := s.steps[step]; ok {
		return path
	}
	return noPath
}

// found is where a path leads on, from now on.
func (s *tomlScan) found(step tomlStep) tomlPath {
	path, ok := s.steps[step]
	if !ok {
		path = tomlPath(len(s.places))
		s.steps[step] = path
		length := s.places[step.from].length + len(step.key) + 1
		s.places = append(s.places, tomlPlaces{length: length})
		s.tooDeep = s.tooDeep || length > maxKeys
	}
	return path
}

// seen is where a path stands; false if it was not seen.
func (s *tomlScan) seen(path tomlPath) (tomlPlaces, bool) {
	if path <= 0 {
		return tomlPlaces{}, false
	}
	return s.places[path], true
}

func (s *tomlScan) at() place { return place{s.line, s.col} }

func (s *tomlScan) peek() byte {
	if s.i < len(s.s) {
		return s.s[s.i]
	}
	return 0
}

func (s *tomlScan) move() {
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
			s.move()
		case s.s[s.i] == '#' && strings.Contains(set, "\n"):
			for s.i < len(s.s) && s.s[s.i] != '\n' {
				s.move()
			}
		default:
			return
		}
	}
}

// heading reads [a.b] or [[a.b]] and returns the path of the table it opens.
func (s *tomlScan) heading() tomlPath {
	s.move()
	array := s.peek() == '['
	if array {
		s.move()
	}
	path := s.dotted(0, true)
	if array {
		count := s.tables[path]
		s.tables[path] = count + 1
		path = s.found(tomlStep{from: path, item: count + 1})
		s.note(path, s.at(), s.at(), 0)
	}
	for s.i < len(s.s) && s.s[s.i] != '\n' {
		s.move()
	}
	return path
}

// dotted reads a dotted key below prefix and returns its path. In a heading, a
// part that names an array of tables means its last table.
func (s *tomlScan) dotted(prefix tomlPath, heading bool) tomlPath {
	path := prefix
	for parts := 0; ; parts++ {
		if parts > maxDepth {
			s.tooDeep = true
			return path
		}
		s.skip(" \t")
		at := s.at()
		if count := s.tables[path]; heading && count > 0 {
			path = s.found(tomlStep{from: path, item: count})
		}
		path = s.found(tomlStep{from: path, key: s.word("=.]}\n#")})
		s.note(path, at, at, 0)
		s.skip(" \t")
		if s.peek() != '.' {
			return path
		}
		s.move()
	}
}

// note keeps the first place of a path.
func (s *tomlScan) note(path tomlPath, key, value place, width int) {
	if p := &s.places[path]; p.key == (place{}) && p.value == (place{}) {
		p.key, p.value, p.width = key, value, width
	}
}

// pair reads key = value; in a line that is none it moves to the next one.
func (s *tomlScan) pair(prefix tomlPath) {
	path := s.dotted(prefix, false)
	if s.peek() != '=' {
		for s.i < len(s.s) && s.s[s.i] != '\n' {
			s.move()
		}
		return
	}
	s.move()
	s.value(path)
}

func (s *tomlScan) value(path tomlPath) {
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

func (s *tomlScan) list(path tomlPath) {
	s.move()
	for i := 0; !s.tooDeep; i++ {
		s.skip(" \t\n,")
		switch s.peek() {
		case ']':
			s.move()
			return
		case 0, '}':
			return
		}
		s.value(s.found(tomlStep{from: path, item: i + 1}))
	}
}

func (s *tomlScan) inline(path tomlPath) {
	s.move()
	for !s.tooDeep {
		s.skip(" \t\n,")
		switch s.peek() {
		case '}':
			s.move()
			return
		case 0, ']':
			return
		}
		before := s.i
		s.pair(path)
		if s.i == before {
			s.move()
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
			s.move()
		}
		return strings.TrimRight(s.s[from:s.i], " \t")
	}
	fence := string(quote)
	if strings.HasPrefix(s.s[s.i:], strings.Repeat(fence, 3)) {
		fence = strings.Repeat(fence, 3)
	}
	for range fence {
		s.move()
	}
	from := s.i
	for s.i < len(s.s) && !strings.HasPrefix(s.s[s.i:], fence) {
		if len(fence) == 1 && s.s[s.i] == '\n' {
			return s.s[from:s.i]
		}
		if quote == '"' && s.s[s.i] == '\\' && s.i+1 < len(s.s) {
			s.move()
		}
		s.move()
	}
	text := s.s[from:s.i]
	for range fence {
		if s.i < len(s.s) {
			s.move()
		}
	}
	for len(fence) == 3 && s.peek() == quote { // """a"""" ends in a quote of its own
		s.move()
	}
	return text
}
