package runtime

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// excerptRunes is how much of a long line an excerpt shows.
const excerptRunes = 100

// Excerpt renders a line with a caret below its col-th character, counted from
// 1. Tabs above are tabs below, and a character that takes two columns on a
// terminal takes two spaces, so that the caret stands right in any tab width.
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

// around is the part of a line about its at-th character, which is the index of
// its first character and whether there is more behind it. A line may be as long
// as a file, so it is not taken apart.
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
	for _, r := range rest { // what is not UTF-8 is U+FFFD here
		if len(window) == excerptRunes {
			return at, first, window, true
		}
		window = append(window, r)
	}
	return at, first, window, false
}

// blank is white space as wide as r.
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
