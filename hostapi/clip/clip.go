// Package clip shortens text without breaking a character in two.
package clip

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Head is the longest prefix of s of at most limit bytes.
func Head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// Tail is the longest suffix of s of at most limit bytes.
func Tail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	from := len(s) - max(limit, 0)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// Warned is the first limit bytes of a text that a person decides on. If that is not
// all of it, a line above says so.
func Warned(s string, limit int) string {
	head := Head(s, limit)
	if head == s {
		return s
	}
	return fmt.Sprintf("THIS IS NOT ALL OF IT: %d bytes of %d\n%s", len(head), len(s), head)
}

// Line is the first line of s.
func Line(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
