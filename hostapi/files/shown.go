package files

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// shown is a path on a line of text. One that could break the line, or looks as
// if it had quotes, is quoted as in Go.
func shown(name string) string {
	odd := func(r rune) bool { return r == utf8.RuneError || r == '"' || !strconv.IsPrint(r) }
	if !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}
