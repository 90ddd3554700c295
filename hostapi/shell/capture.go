package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Captured is what was kept of a stream: its beginning, its end, and how many
// bytes there were. Where nothing was dropped, Head and Tail are adjacent.
type Captured struct {
	Head, Tail []byte
	// Total counts the bytes that were written.
	Total int64
	// Since counts the bytes before Head that were not asked for.
	Since int64
	// Dropped counts the bytes between Head and Tail that were not kept. It is
	// below zero where some were not and nobody knows how many; Total is then what
	// was kept.
	Dropped int64
	// File is where all of it is, from the first byte on; empty for nowhere.
	File string
}

// Text renders the capture as valid UTF-8 of at most limit bytes, and reports
// whether anything is missing. What is missing is named by a line in its
// place, which counts against limit.
func (c Captured) Text(limit int64) (text string, cut bool) {
	where := ""
	if c.File != "" {
		where = "; all of it is in " + c.File
	}
	text, missing := c.text(limit, where)
	return text, missing != 0
}

// text is Text with words on where the whole is. missing counts the bytes that
// are not in the text, and is below zero where that is not known.
func (c Captured) text(limit int64, where string) (text string, missing int64) {
	reserve := int64(96 + len(where)) // the line between, with two numbers of 19 digits
	if limit < 2*reserve {
		reserve, where = 96, ""
	}
	head, tail := c.Head, c.Tail
	if c.Dropped == 0 {
		whole := c.bytes()
		text = strings.ToValidUTF8(string(whole), "\uFFFD")
		if int64(len(text)) <= limit {
			return text, 0
		}
		head, tail = whole[:len(whole)/2], whole[len(whole)/2:]
	}
	if limit < 2*reserve {
		text, used := within(head, int(limit), false)
		return text, c.without(used)
	}
	// What one end does not need is the other's.
	room := int(limit - reserve)
	half := room / 2
	first, kept := within(head, max(half, room-len(tail)), false)
	last, end := within(tail, room-len(first), true)
	if missing = c.without(kept + end); missing < 0 {
		return fmt.Sprintf("%s\n… the output is longer, nobody knows by how much; %d bytes are kept%s …\n%s", first, kept+end, where, last), missing
	}
	return fmt.Sprintf("%s\n… %d of %d bytes dropped here%s …\n%s", first, missing, c.Total-c.Since, where, last), missing
}

// without is how many bytes are missing where some are used; below zero if
// nobody knows.
func (c Captured) without(used int) int64 {
	if c.Dropped < 0 {
		return -1
	}
	return c.Total - c.Since - int64(used)
}

// bytes is what was kept, head and tail in one.
func (c Captured) bytes() []byte { return append(append([]byte(nil), c.Head...), c.Tail...) }

// valid reports whether what was kept is UTF-8, cuts aside.
func (c Captured) valid() bool {
	if c.Dropped == 0 {
		return utf8.Valid(c.bytes())
	}
	return utf8.Valid(trimEnd(c.Head)) && utf8.Valid(trimStart(c.Tail))
}

// within renders the first or last bytes of b as valid UTF-8 of at most limit
// bytes, on character boundaries, and counts the bytes of b that it stands for.
func within(b []byte, limit int, fromEnd bool) (text string, used int) {
	if len(b) > limit {
		if fromEnd {
			b = b[len(b)-limit:]
		} else {
			b = b[:limit]
		}
	}
	if fromEnd {
		b = trimStart(b)
	} else {
		b = trimEnd(b)
	}
	text = strings.ToValidUTF8(string(b), "\uFFFD")
	if len(text) <= limit {
		return text, len(b)
	}
	// Bytes that are not UTF-8 grow as they are replaced, by three at most.
	return within(b, limit/3, fromEnd)
}

// trimEnd drops a character that the end of b cut in two.
func trimEnd(b []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if at := len(b) - back; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return b[:at]
			}
			break
		}
	}
	return b
}

// trimStart drops the rest of a character that the start of b cut in two.
func trimStart(b []byte) []byte {
	for i := range min(utf8.UTFMax, len(b)+1) {
		if i == len(b) || utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
