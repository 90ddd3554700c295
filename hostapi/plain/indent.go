package plain

import (
	"bytes"
	"encoding/json"
	"strings"
)

// slack is how much white space a small document may have beyond its own length: small
// documents are mostly white space.
const slack = 4 << 10

// JSON indents a JSON text, with two spaces a level. Deeply nested values would become a
// thousand times as large: the text at most doubles, plus 4 KiB, and the levels that do not
// fit stay on one line each. What is not JSON comes back unchanged.
func JSON(raw []byte) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return raw
	}
	return indent(compact.Bytes(), compact.Len()+slack)
}

// Value is compact JSON indented so that also as a string of another JSON document, with
// its quotes escaped, or as [Text], it is at most twice as long, plus 4 KiB.
func Value(compact []byte) []byte {
	if len(compact) == 0 || compact[0] != '{' && compact[0] != '[' { // it may be a large text
		return compact
	}
	text := string(compact)
	return indent(compact, 2*len(compact)+slack-max(Quoted(text), len(Text(text))))
}

// breakCost is what a line break counts for: it is two bytes in a string of another
// document, and one plus the mark where it is quoted.
const breakCost = 1 + len(Mark)

// indent breaks as many levels of a compact text into lines as fit into room.
func indent(compact []byte, room int) []byte {
	levels, grown := 0, 0
	for _, extra := range extras(compact) {
		if grown+extra > room {
			break
		}
		grown += extra
		levels++
	}
	if levels == 0 {
		return compact
	}
	l := layout{text: compact, levels: levels, out: make([]byte, 0, len(compact)+grown)}
	l.run()
	return l.out
}

// extras returns, for each level, how many bytes its white space takes.
func extras(compact []byte) (extra []int) {
	depth := -1
	for i := 0; i < len(compact); i++ {
		switch compact[i] {
		case '"':
			i = endOfText(compact, i)
		case '{', '[':
			if compact[i+1] == compact[i]+2 { // an empty one stays on its line
				i++
				continue
			}
			if depth++; depth == len(extra) {
				extra = append(extra, 0)
			}
			extra[depth] += breakCost + 2*(depth+1)
		case '}', ']':
			extra[depth] += breakCost + 2*depth
			depth--
		case ',':
			extra[depth] += breakCost + 2*(depth+1)
		case ':':
			extra[depth]++
		}
	}
	return extra
}

// endOfText returns the index of the quote that ends the string at i.
func endOfText(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// layout writes a compact text with line breaks in its outer levels.
type layout struct {
	text   []byte
	levels int
	out    []byte
}

func (l *layout) run() {
	depth := 0
	for i := 0; i < len(l.text); i++ {
		c := l.text[i]
		switch c {
		case '"':
			end := endOfText(l.text, i)
			l.out = append(l.out, l.text[i:end+1]...)
			i = end
			continue
		case '{', '[':
			l.out = append(l.out, c)
			if l.text[i+1] == c+2 {
				l.out = append(l.out, c+2)
				i++
				continue
			}
			depth++
			l.breakLine(depth, depth)
			continue
		case '}', ']':
			depth--
			l.breakLine(depth+1, depth)
		}
		l.out = append(l.out, c)
		switch {
		case c == ',':
			l.breakLine(depth, depth)
		case c == ':' && depth <= l.levels:
			l.out = append(l.out, ' ')
		}
	}
}

// breakLine begins a line if its level is indented.
func (l *layout) breakLine(level, spaces int) {
	if level <= l.levels {
		l.out = append(l.out, '\n')
		for range spaces {
			l.out = append(l.out, "  "...)
		}
	}
}

// Quoted is how many bytes a text takes in a JSON string.
func Quoted(text string) int {
	n := len(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n + 3*(strings.Count(text, "\u2028")+strings.Count(text, "\u2029"))
}
