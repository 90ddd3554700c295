package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// excerptRunes is how many characters of a long line an excerpt shows.
const excerptRunes = 100

// Excerpt renders a line with a caret below its col-th character, counted from 1. The line
// of the caret repeats tabs, and has two spaces for a wide character, so that the caret is
// right at any tab width.
func Excerpt(line string, number, col int) string {
	at, first, window, more := around(line, max(col-1, 0))
	var text, pad strings.Builder
	if first > 0 {
		text.WriteString("…")
		pad.WriteByte(' ')
	}
	for i, r := range window {
		r = visible(r)
		text.WriteRune(r)
		if first+i < at {
			pad.WriteString(blank(r))
		}
	}
	if more {
		text.WriteString("…")
	}
	gutter := fmt.Sprintf("%5d | ", number)
	empty := strings.Repeat(" ", len(gutter)-2) + "| "
	return strings.TrimRight(gutter+text.String(), " ") + "\n" + empty + pad.String() + "^"
}

// around returns the part of a line around its at-th character, the index of the part's
// first character, and whether more follows. A line can be as long as a file, so it is
// never converted as a whole.
func around(line string, at int) (position, first int, window []rune, more bool) {
	length := utf8.RuneCountInString(line)
	at = min(at, length)
	if length > excerptRunes {
		first = max(0, min(at-excerptRunes/2, length-excerptRunes))
	}
	rest := line
	for range first {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	for _, r := range rest { // invalid UTF-8 is U+FFFD here
		if len(window) == excerptRunes {
			return at, first, window, true
		}
		window = append(window, r)
	}
	return at, first, window, false
}

// blank returns white space as wide as r.
func blank(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case unicode.In(r, unicode.Mn, unicode.Me):
		return ""
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return "  "
	}
	return " "
}
