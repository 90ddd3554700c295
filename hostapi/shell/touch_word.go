package shell

import (
	"strings"
	"unicode"
)

func (s shape) isPlain() bool { return len(s.chunks) == 1 && !s.many }

// text is the word if it is plain, else "".
func (s shape) text() string {
	if !s.isPlain() {
		return ""
	}
	return s.chunks[0]
}

func plainShapes(words []string) []shape {
	shapes := make([]shape, len(words))
	for i, word := range words {
		shapes[i] = shape{chunks: []string{word}}
	}
	return shapes
}

// value is the value attached to an option, as in --name=value and -Xvalue; "" for none.
func (s shape) value() string {
	text := s.text()
	if strings.HasPrefix(text, "--") {
		_, value, _ := strings.Cut(text, "=")
		return value
	}
	if len(text) > 2 && text[0] == '-' {
		return text[2:]
	}
	return ""
}

// size is the number of its known bytes and pieces.
func (s shape) size() (bytes int) {
	for _, chunk := range s.chunks {
		bytes += 1 + len(chunk)
	}
	return bytes
}

// begins is its known beginning.
func (s shape) begins() string { return s.chunks[0] }

// meets reports whether some text matches both: pieces with anything between them, and a
// word of a pattern, in which * matches anything.
func meets(chunks []string, pattern string) bool {
	if len(chunks) == 1 && !strings.Contains(pattern, "*") {
		return chunks[0] == pattern
	}
	// Both as text with a mark for anything. at[j] says whether the part of a that was
	// read so far can match b[:j].
	const gap = unicode.MaxRune + 1
	var a, b []rune
	for i, chunk := range chunks {
		if i > 0 {
			a = append(a, gap)
		}
		a = append(a, []rune(chunk)...)
	}
	for _, r := range pattern {
		if r == '*' {
			r = gap
		}
		b = append(b, r)
	}
	at := make([]bool, len(b)+1)
	at[0] = true
	for j := 1; j <= len(b); j++ {
		at[j] = at[j-1] && b[j-1] == gap
	}
	for _, r := range a {
		next := make([]bool, len(b)+1)
		next[0] = at[0] && r == gap
		for j := 1; j <= len(b); j++ {
			if r == gap || b[j-1] == gap {
				next[j] = at[j] || next[j-1]
			} else {
				next[j] = at[j-1] && r == b[j-1]
			}
		}
		at = next
	}
	return at[len(b)]
}

// flagged reports whether a word may be an option of this letter: in a cluster, or as a
// long option that begins with it.
func (s shape) flagged(flag rune) bool {
	begins := s.begins()
	switch {
	case s.many, begins == "" && !s.isPlain(), begins == "-" && !s.isPlain():
		return true
	case strings.HasPrefix(begins, "--"):
		long := strings.ToLower(begins[2:])
		return long == "" && !s.isPlain() || strings.HasPrefix(long, strings.ToLower(string(flag)))
	case strings.HasPrefix(begins, "-"):
		return strings.Contains(strings.ToLower(strings.Join(s.chunks, "")), strings.ToLower(string(flag))) || !s.isPlain()
	}
	return false
}

// shortens reports whether a word may be an abbreviation of a long option, with or
// without a value, or the letter that often stands for it.
func (s shape) shortens(long string) bool {
	begins, _, _ := strings.Cut(s.begins(), "=")
	wanted, _, _ := strings.Cut(long, "=")
	if cluster(begins) {
		return strings.ContainsRune(begins[1:], rune(wanted[2]))
	}
	return len(begins) > 2 && strings.HasPrefix(begins, "--") && (strings.HasPrefix(wanted, begins) || !s.isPlain() && strings.HasPrefix(begins, wanted))
}
