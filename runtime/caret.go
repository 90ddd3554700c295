package runtime

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// excerptRunes is how much of a long line an excerpt shows.
const excerptRunes = 100

// Excerpt renders a line with a caret below its col-th character, counted from
// 1. Tabs above are tabs below, and a character that takes two columns on a
// terminal takes two spaces, so that the caret stands right in any tab width.
func Excerpt(line string, number, col int) string {
	runes := []rune(strings.ToValidUTF8(line, "\uFFFD"))
	at := min(max(col-1, 0), len(runes))
	first, last := 0, len(runes)
	if len(runes) > excerptRunes {
		first = max(0, min(at-excerptRunes/2, len(runes)-excerptRunes))
		last = first + excerptRunes
	}
	var text, pad strings.Builder
	if first > 0 {
		text.WriteString("…")
		pad.WriteByte(' ')
	}
	for i, r := range runes[first:last] {
		r = visible(r)
		text.WriteRune(r)
		if first+i < at {
			pad.WriteString(blank(r))
		}
	}
	if last < len(runes) {
		text.WriteString("…")
	}
	gutter := fmt.Sprintf("%5d | ", number)
	empty := strings.Repeat(" ", len(gutter)-2) + "| "
	return strings.TrimRight(gutter+text.String(), " ") + "\n" + empty + pad.String() + "^"
}

// visible replaces what would move the cursor, or reorder the line, when it
// is printed.
func visible(r rune) rune {
	if r == '\t' {
		return r
	}
	if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
		return '\uFFFD'
	}
	return r
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
