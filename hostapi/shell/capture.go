package shell

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/clip"
)

// Captured is what was kept of a stream: its beginning, its end, and how many
// bytes there were. Where nothing was dropped, Head and Tail are adjacent, and Tail may be
// empty.
type Captured struct {
	Head, Tail []byte
	// Total counts the bytes that were written.
	Total int64
	// Since counts the bytes before Head that the caller did not ask for.
	Since int64
	// Dropped counts the bytes between Head and Tail that were not kept. Below zero means
	// an unknown number; Total is then what was kept.
	Dropped int64
	// File holds all of it, from the first byte on; empty for none.
	File string
}

// Text renders the capture as valid UTF-8 of at most limit bytes, as [clip.Size] counts
// them, and reports whether anything is missing. A line, which counts towards limit, stands
// for what is missing.
func (c Captured) Text(limit int64) (text string, cut bool) {
	where := ""
	if c.File != "" {
		where = "; all of it is in " + c.File
	}
	text, missing := c.text(limit, where)
	return text, missing != 0
}

// fits reports whether Text leaves nothing out.
func (c Captured) fits(limit int64) bool {
	return c.Dropped == 0 && int64(len(c.Head)+len(c.Tail)) <= limit
}

// text is Text with words on where all of it is. missing counts the bytes that are not in
// the text; below zero means an unknown number.
func (c Captured) text(limit int64, where string) (text string, missing int64) {
	reserve := int64(96 + len(where)) // the line between, with two numbers of 19 digits
	if limit < 2*reserve {
		reserve, where = 96, ""
	}
	head, tail := c.Head, c.Tail
	if c.Dropped == 0 {
		whole := c.bytes()
		if int64(len(whole)) <= limit {
			return strings.ToValidUTF8(string(whole), "\uFFFD"), 0
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
		return fmt.Sprintf("%s\n… the output is longer by an unknown number of bytes; %d bytes are kept%s …\n%s", first, kept+end, where, last), missing
	}
	return fmt.Sprintf("%s\n… %d of %d bytes dropped here%s …\n%s", first, missing, c.Total-c.Since, where, last), missing
}

// without is how many bytes are missing if used bytes are there; below zero if unknown.
func (c Captured) without(used int) int64 {
	if c.Dropped < 0 {
		return -1
	}
	return c.Total - c.Since - int64(used)
}

// bytes is what was kept, head and tail in one.
func (c Captured) bytes() []byte {
	if len(c.Tail) == 0 {
		return c.Head
	}
	return slices.Concat(c.Head, c.Tail)
}

// limit is what holds for each part of a result, in bytes of text.
func (o Output) limit(limits Limits) int64 {
	return clip.Escaped(limits.outputBytes(), max(o.Both.added(), o.Stdout.added()+o.Stderr.added()))
}

// added is how many bytes longer escapes make it in JSON, at most.
func (c Captured) added() int64 { return clip.Added(c.Head) + clip.Added(c.Tail) }

// valid reports whether what was kept is UTF-8, except where it was cut.
func (c Captured) valid() bool {
	if c.Dropped == 0 {
		return utf8.Valid(c.bytes())
	}
	return utf8.Valid(trimEnd(c.Head)) && utf8.Valid(trimStart(c.Tail))
}

// within renders the first or last limit bytes of b as valid UTF-8, in whole characters. used
// is the number of bytes of b in it.
func within(b []byte, limit int, fromEnd bool) (text string, used int) {
	limit = min(limit, len(b))
	if fromEnd {
		b = trimStart(b[len(b)-limit:])
	} else {
		b = trimEnd(b[:limit])
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), len(b)
}

// trimEnd drops an incomplete character at the end of b.
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

// trimStart drops the rest of a character at the start of b.
func trimStart(b []byte) []byte {
	for i := range min(utf8.UTFMax, len(b)+1) {
		if i == len(b) || utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
