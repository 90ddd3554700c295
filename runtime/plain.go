package runtime

import (
	"strings"
	"unicode"
)

// continued begins every line that a script wrote, and every line but the first
// of another text that came from outside. No line of a report begins with it
// otherwise, whatever the tool's name is, so that none of a script's can be taken
// for one of ours.
const continued = "  > "

// Plain replaces every character that would move the cursor of a terminal, turn
// the direction of writing or stand there unseen, other than tab and newline, by
// U+FFFD: controls, also those beyond ASCII, and formatting characters.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visible(r)
	}, text)
}

// Quote is [Plain] for a text that came from outside and may have several lines:
// each but the first is marked. A text of little else than line breaks would
// become five times as long; it keeps them in one line, written as \n.
func Quote(text string) string {
	const slack = 1 << 10
	text = Plain(text)
	if strings.Count(text, "\n")*len(continued) > len(text)+slack {
		return strings.ReplaceAll(text, "\n", `\n`)
	}
	return strings.ReplaceAll(text, "\n", "\n"+continued)
}

// oneLine is [Plain] for a name, which has no lines.
func oneLine(text string) string { return strings.Map(visible, text) }

// visible replaces what would move the cursor, or reorder the line, when it
// is printed, and what cannot be seen.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r < 0x7f && r >= 0x20:
		return r
	case r == 0x7f:
		return '?' // the one control that JSON has as it is: a text of it must not become three times as long
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), unicode.Is(unseen, r):
		return unicode.ReplacementChar
	}
	return r
}

// unseen are characters without a shape that are not of the category Cf. Of the
// variation selectors U+FE0F alone passes, which emoji need: any two of them
// could spell out a text that nobody sees.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // Braille blank
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0e, Stride: 1}, // variation selectors; emoji are written with the next one
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // half-width filler
		{Lo: 0xfff0, Hi: 0xfff8, Stride: 1}, // unassigned and ignorable
	},
	R32: []unicode.Range32{
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}, // tags, selectors, unassigned
	},
}
