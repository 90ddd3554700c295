package clip

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Shape is how many bytes of names and punctuation a structured value may have besides the
// text that a limit counts.
const Shape = 1 << 10

const replacement = "\uFFFD"

// Size is how many bytes a limit counts for a text: U+FFFD is one, since it stands for a
// byte that was no text.
func Size(s string) int64 {
	return int64(len(s) - (len(replacement)-1)*strings.Count(s, replacement))
}

// Escapes is how many bytes escapes may add to a text in JSON before they count towards its
// limit: half of that, and at least 8 MiB.
func Escapes(limit int64) int64 { return max(limit/2, 8<<20) }

// Escaped is the limit for a text that escapes make added bytes longer in JSON: limit, or if
// they are more than [Escapes], one with which the JSON of any text is at most limit and
// those together.
func Escaped(limit, added int64) int64 {
	most := Escapes(limit)
	if added <= most {
		return limit
	}
	return min(limit, (limit+most)/longest)
}

// longest is how many bytes of JSON one byte of text takes at most.
const longest = int64(len(`\u0000`))

// Added is how many bytes longer escapes make a text in JSON, at most.
func Added[T ~string | ~[]byte](text T) (added int64) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"', c == '\\', c == '\n':
			added++
		case c < ' ':
			added += longest - 1
		case c >= utf8.RuneSelf && c < 0xC2, c > 0xF4: // no character begins so
			added += longest - 1
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			switch {
			case r == utf8.RuneError && size == 1:
				added += longest - 1
			case r == '\u2028', r == '\u2029':
				added += longest - int64(size)
			}
			i += size - 1
		}
	}
	return added
}

// Middle keeps the beginning and the end of s, half each, and a line between them that says how
// many bytes are missing, and by which limit. All of it is at most limit bytes. A limit that
// has no room for such a line keeps the beginning.
func Middle(s string, limit int64, name string) string {
	if Size(s) <= limit {
		return s
	}
	const between = "\n… %d of %d bytes dropped here (%s) …\n"
	room := limit - int64(len(fmt.Sprintf(between, len(s), len(s), name)))
	if room <= 0 {
		return Head(s, int(limit))
	}
	head := Head(s, int(room-room/2))
	tail := Tail(s, int(room/2))
	return head + fmt.Sprintf(between, len(s)-len(head)-len(tail), len(s), name) + tail
}

// ValueSize is how many bytes a limit counts for a valid JSON value: its JSONSize, and for a
// text that of the text.
func ValueSize(raw []byte) int64 {
	if len(raw) > 0 && raw[0] == '"' {
		return JSONSize(raw) - 2
	}
	return JSONSize(raw)
}

// JSONSize is [Size] for a valid JSON value: an escape counts as what it stands for.
func JSONSize(raw []byte) int64 {
	size := int64(len(raw) - (len(replacement)-1)*bytes.Count(raw, []byte(replacement)))
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 {
			return size
		}
		long, stands := escape(raw[at:])
		size -= int64(long - stands)
		raw = raw[at+long:]
	}
}

// escape is how long the escape at the beginning of raw is, and how many bytes it counts as.
func escape(raw []byte) (long, stands int) {
	var unit [2]byte
	if len(raw) < 6 || raw[1] != 'u' {
		return min(2, len(raw)), 1
	}
	_, _ = hex.Decode(unit[:], raw[2:6])
	switch r := rune(binary.BigEndian.Uint16(unit[:])); {
	case r == utf8.RuneError:
		return 6, 1
	case r >= 0xD800 && r < 0xE000: // half of a character of four bytes, or none
		return 6, 2
	default:
		return 6, utf8.RuneLen(r)
	}
}

// Entries is the beginning of a valid JSON value of at most limit bytes, as [JSONSize] counts:
// whole elements of an array, or whole members of an object, the last of which may be an
// array with whole elements. It is nil for a value that has no entries.
func Entries(raw []byte, limit int64) []byte {
	var open, closing []byte // what ends the containers, here and at end
	end := 0
	entries := func(at int) { // whole entries end here
		if len(open) == 1 || len(open) == 2 && string(open) == "}]" {
			end, closing = at, append(closing[:0], open...)
		}
	}
	used, quoted := int64(0), false
	for i := 0; i < len(raw) && used <= limit; i++ {
		c := raw[i]
		used++
		switch {
		case c == '\\':
			long, stands := escape(raw[i:])
			i, used = i+long-1, used+int64(stands-1)
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			open = append(open, c+2) // what ends it is two further in ASCII
			entries(i + 1)
		case c == '}', c == ']':
			entries(i)
			open = open[:len(open)-1]
		case c == ',':
			entries(i)
		}
	}
	if end == 0 {
		return nil
	}
	kept := append([]byte(nil), raw[:end]...)
	for i := len(closing) - 1; i >= 0; i-- {
		kept = append(kept, closing[i])
	}
	return kept
}
