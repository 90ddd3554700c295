package weburl

import (
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/runtime/internal/utf8text"
)

// ParseForm reads a query without its question mark: names and values in turn.
func ParseForm(query string) (pairs []string) {
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, formText(name), formText(value))
	}
	return pairs
}

func formText(text string) string {
	if strings.IndexByte(text, '+') >= 0 {
		text = strings.ReplaceAll(text, "+", " ")
	}
	text = Unescape(text)
	if utf8.ValidString(text) {
		return text
	}
	return string(utf8text.Replace([]byte(text)))
}

// WriteForm writes names and values as a query.
func WriteForm(pairs []string) string {
	var b strings.Builder
	for i, text := range pairs {
		switch {
		case i%2 == 1:
			b.WriteByte('=')
		case i > 0:
			b.WriteByte('&')
		}
		from := 0
		for i := range len(text) {
			c := text[i]
			if isAlpha(c) || isDigit(c) || strings.IndexByte("*-._", c) >= 0 {
				continue
			}
			b.WriteString(text[from:i])
			if from = i + 1; c == ' ' {
				b.WriteByte('+')
			} else {
				b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
			}
		}
		b.WriteString(text[from:])
	}
	return b.String()
}
