// Package plain prepares text from outside for people: no character of it moves the cursor
// of a terminal, hides, or turns the direction of writing, and no line of it can be taken
// for one of ours.
package plain

import (
	"strings"
	"unicode"
)

// Mark begins every line that a script wrote, and every line but the first of other text
// from outside. No line of ours begins with it, so that nobody takes one for the other.
const Mark = "  > "

// Text replaces every character that moves the cursor of a terminal, turns the direction
// of writing or is invisible with U+FFFD: control characters, also those beyond ASCII, and
// formatting characters. Tabs and newlines stay.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visible(r)
	}, text)
}

// Quote is [Text] with a [Mark] before each line but the first. A text that is mostly line
// breaks would become five times as long: it stays on one line, with each written as \n.
func Quote(text string) string {
	const slack = 1 << 10
	text = Text(text)
	if strings.Count(text, "\n")*len(Mark) > len(text)+slack {
		return strings.ReplaceAll(text, "\n", `\n`)
	}
	return strings.ReplaceAll(text, "\n", "\n"+Mark)
}

// Line is [Text] for what belongs on one line: it replaces newlines too.
func Line(text string) string { return strings.Map(visible, text) }

// visible replaces a character that moves the cursor, reorders the line or is invisible.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r < 0x7f && r >= 0x20:
		return r
	case r == 0x7f:
		return '?' // JSON does not escape it, and U+FFFD would make the text three times as long
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), unicode.Is(unseen, r):
		return unicode.ReplacementChar
	}
	return r
}

// unseen are invisible characters outside the category Cf. Of the variation selectors only
// U+FE0F passes, which emoji need: any two of them could spell out a hidden text.
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
