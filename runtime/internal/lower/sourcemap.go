package lower

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Map is where a lowered text comes from: a source map of version 3 whose columns count bytes
// from 1, on both sides, as the engine does. Its empty parts have the source [Ours].
type Map string

// Ours is the source of code that nobody wrote, such as a function that replaces new syntax.
const Ours = "scriptrun:lowered"

// File is a text that went into a program.
type File struct {
	// Name is the file, as positions show it; of one that is imported, its path from the entry's
	// folder.
	Name string
	text string
	from int // its number in esbuild's map
}

// Text is what is in the file.
func (f File) Text() string { return f.text }

// newMap turns a source map of esbuild, whose columns count UTF-16 units from 0, into a Map.
// generated is its text; files are those that its sources name.
func newMap(encoded []byte, generated string, files []File) (Map, error) {
	var from struct {
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(encoded, &from); err != nil {
		return "", err
	}
	to := mapWriter{}
	to.put(1, len(files), 1, 1) // until the first line that somebody wrote
	texts, numbers := make([]lines, len(files)), map[int]int{}
	for i, f := range files {
		texts[i], numbers[f.from] = linesOf(f.text), i
	}
	out := linesOf(generated)
	var source, line, column int // of the original; they are told as differences
	number := 0
	for row := range strings.SplitSeq(from.Mappings, ";") {
		if number++; number > 1 {
			to.next()
		}
		at := 0 // on the line
		for segment := range strings.SplitSeq(row, ",") {
			if segment == "" {
				continue
			}
			fields, err := decode(segment)
			if err != nil {
				return "", err
			}
			at += fields[0]
			source, line, column = source+fields[1], line+fields[2], column+fields[3]
			file, known := numbers[source]
			if line < 0 || column < 0 || at < 0 {
				return "", errMap
			}
			if !known { // an empty module
				to.put(out.column(number, at), len(files), 1, 1)
				continue
			}
			to.put(out.column(number, at), file, line+1, texts[file].column(line+1, column))
		}
	}
	names := make([]string, 0, len(files)+1)
	for _, f := range files {
		names = append(names, f.Name)
	}
	whole, err := json.Marshal(map[string]any{"version": 3, "sources": append(names, Ours), "mappings": to.text.String()})
	return Map(whole), err
}

var errMap = errors.New("the source map is not valid")

// mapWriter writes mappings.
type mapWriter struct {
	text                         strings.Builder
	column, source, line, origin int  // of the last segment
	begun                        bool // the line has a segment
}

func (w *mapWriter) next() {
	w.text.WriteByte(';')
	w.column, w.begun = 0, false
}

func (w *mapWriter) put(column, source, line, origin int) {
	if w.begun {
		w.text.WriteByte(',')
	}
	w.begun = true
	// A reader counts lines of the original from 1, and tells 0 in a map as line 1.
	encode(&w.text, column-w.column)
	encode(&w.text, source-w.source)
	encode(&w.text, line-1-w.line)
	encode(&w.text, origin-w.origin)
	w.column, w.source, w.line, w.origin = column, source, line-1, origin
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// encode writes a number as Base64 VLQ.
func encode(b *strings.Builder, n int) {
	v := n << 1
	if n < 0 {
		v = -n<<1 | 1
	}
	for ; v >= 32; v >>= 5 {
		b.WriteByte(digits[v&31|32])
	}
	b.WriteByte(digits[v])
}

// decode reads a segment with four or five numbers; the fifth is a name and is left out.
func decode(segment string) (fields [4]int, err error) {
	at, n, shift := 0, 0, 0
	for i := range len(segment) {
		d := strings.IndexByte(digits, segment[i])
		if d < 0 || shift > 30 {
			return fields, errMap
		}
		n |= d & 31 << shift
		if shift += 5; d&32 != 0 {
			continue
		}
		if at < len(fields) {
			if fields[at] = n >> 1; n&1 != 0 {
				fields[at] = -fields[at]
			}
		}
		at, n, shift = at+1, 0, 0
	}
	if at < len(fields) || shift > 0 {
		return fields, errMap
	}
	return fields, nil
}

// lines are those of a text that are not ASCII, by their numbers.
type lines map[int]string

func linesOf(text string) lines {
	if isASCII(text) {
		return nil
	}
	found := lines{}
	for number := 1; text != ""; number++ {
		end := lineEnd(text)
		if !isASCII(text[:end]) {
			found[number] = text[:end]
		}
		text = text[end:]
	}
	return found
}

// lineEnd is the length of the first line, with what ends it, in the count of JavaScript.
func lineEnd(text string) int {
	for i, r := range text {
		switch r {
		case '\n', '\u2028', '\u2029':
			return i + utf8.RuneLen(r)
		case '\r':
			if strings.HasPrefix(text[i+1:], "\n") {
				return i + 2
			}
			return i + 1
		}
	}
	return len(text)
}

// column is the one in bytes, from 1, of one in UTF-16 units, from 0.
func (l lines) column(line, units int) int {
	text, ok := l[line]
	if !ok {
		return units + 1
	}
	for i, r := range text {
		if units <= 0 {
			return i + 1
		}
		if units--; r > 0xFFFF {
			units--
		}
	}
	return len(text) + units + 1
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
