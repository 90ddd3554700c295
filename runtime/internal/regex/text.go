package regex

// Text is what is searched: units of ASCII, or UTF-16 code units. It is shared, not copied,
// and must not change. The zero value is empty.
type Text struct {
	ascii []byte
	wide  []uint16
}

// ASCII is a text whose bytes are all below 128.
func ASCII(text []byte) Text { return Text{ascii: text} }

// UTF16 is any text.
func UTF16(units []uint16) Text { return Text{wide: units} }

// Len is the length in code units.
func (t Text) Len() int { return len(t.ascii) + len(t.wide) }

// unit is a code unit as a text keeps it.
type unit interface{ ~uint8 | ~uint16 }

// pointAt is the code point at a position, and how many units it has.
func pointAt[T unit](s []T, at int) (rune, int) {
	c := rune(s[at])
	if c>>10 == 0xd800>>10 && at+1 < len(s) {
		if low := rune(s[at+1]); low>>10 == 0xdc00>>10 {
			return (c-0xd800)<<10 | (low - 0xdc00) + 0x10000, 2
		}
	}
	return c, 1
}

// pointBefore is the code point that ends at a position.
func pointBefore[T unit](s []T, at int) (rune, int) {
	c := rune(s[at-1])
	if c>>10 == 0xdc00>>10 && at > 1 {
		if high := rune(s[at-2]); high>>10 == 0xd800>>10 {
			return (high-0xd800)<<10 | (c - 0xdc00) + 0x10000, 2
		}
	}
	return c, 1
}

func isLineEnd[T unit](c T) bool {
	return c == '\n' || c == '\r' || uint16(c) == 0x2028 || uint16(c) == 0x2029
}
