package plain

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		number     int
		col        int
		want       string
	}{
		{"plain", "name: x", 3, 7, "    3 | name: x\n      |       ^"},
		{"tabs stay tabs", "\ta:\tb", 12, 5, "   12 | \ta:\tb\n      | \t  \t^"},
		{"wide characters take two columns", "漢字: b", 1, 5, "    1 | 漢字: b\n      |       ^"},
		{"emoji are wide", "🙂x", 1, 2, "    1 | 🙂x\n      |   ^"},
		{"combining marks take none", "e\u0301x", 1, 3, "    1 | e\u0301x\n      |  ^"},
		{"the end of the line", "ab", 1, 3, "    1 | ab\n      |   ^"},
		{"beyond the end", "ab", 1, 99, "    1 | ab\n      |   ^"},
		{"before the start", "ab", 1, 0, "    1 | ab\n      | ^"},
		{"an empty line", "", 1, 1, "    1 |\n      | ^"},
		{"control and bidi characters are not printed", "a\x1b[31m\u202eb", 1, 8, "    1 | a\uFFFD[31m\uFFFDb\n      |        ^"},
		{"invalid bytes are replaced", "a\xffb", 1, 3, "    1 | a\uFFFDb\n      |   ^"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Excerpt(c.line, c.number, c.col); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// A caret stands below the character it is for, however long the line is.
func TestExcerptOfLongLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, 500).Draw(t, "length")
		col := rapid.IntRange(1, length).Draw(t, "col")
		line := []rune(strings.Repeat("x", length))
		line[col-1] = '@'
		top, bottom, _ := strings.Cut(Excerpt(string(line), 1, col), "\n")
		caret := utf8.RuneCountInString(bottom) - 1
		if runes := []rune(top); caret >= len(runes) || runes[caret] != '@' {
			t.Fatalf("the caret is not below the @:\n%s\n%s", top, bottom)
		}
		if n := utf8.RuneCountInString(top); n > excerptRunes+12 {
			t.Fatalf("the excerpt is %d characters long", n)
		}
	})
}
