package weburl

import "strings"

// set has the ASCII characters that are percent-encoded in a part of an address; all others
// that are not ASCII are too.
type set [128]bool

// more is a set with more characters.
func (s set) more(chars string) *set {
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

var (
	inControl      = controls()
	inFragment     = inControl.more(" \"<>`")
	inQuery        = inControl.more(" \"#<>")
	inSpecialQuery = inQuery.more("'")
	inPath         = inQuery.more("?^`{}")
	inUserinfo     = inPath.more("/:;=@[\\]|")
)

func controls() *set {
	var s set
	for c := range s {
		s[c] = c <= 0x1f || c == 0x7f
	}
	return &s
}

const upperHex = "0123456789ABCDEF"

// encode percent-encodes a text.
func encode(text string, in *set) string {
	more := 0
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || in[c] {
			more += 2
		}
	}
	if more == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+more)
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || in[c] {
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// Unescape decodes %xx; what is no such escape stays.
func Unescape(text string) string {
	at := strings.IndexByte(text, '%')
	if at < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	out = append(out, text[:at]...)
	for i := at; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			out = append(out, hexValue(text[i+1])<<4|hexValue(text[i+2]))
			i += 2
			continue
		}
		out = append(out, text[i])
	}
	return string(out)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
