package dates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	ending kind = iota
	number
	sign
	symbol // : . or )
	space
	month
	zone
	half // am or pm
	between
	word // another one
	other
)

// token is a part of a text. Of a number, value is its first nine digits, of which no zero leads.
type token struct {
	kind   kind
	value  int // of a number; -1 or 1 of a sign; the month, hours of a zone, or hours to add
	length int
	char   rune // of a symbol
}

func (t token) digits(n int) bool { return t.kind == number && t.length == n }
func (t token) is(c rune) bool {
	return t.kind == symbol && t.char == c || t.kind == sign && t.char == c
}
func (t token) zulu() bool           { return t.kind == zone && t.length == 1 }
func (t token) within(a, b int) bool { return t.kind == number && a <= t.value && t.value <= b }

// scanner splits a text into tokens, of which the next one is known.
type scanner struct {
	text string
	at   int
	next token
}

func newScanner(text string) *scanner {
	s := &scanner{text: text}
	s.next = s.scan()
	return s
}

func (s *scanner) take() token {
	t := s.next
	s.next = s.scan()
	return t
}

// skip takes a sign or a symbol if it is the next one.
func (s *scanner) skip(c rune) bool {
	if s.next.is(c) {
		s.take()
		return true
	}
	return false
}

// char is the character at the place; 0 at the end, which a NUL is too.
func (s *scanner) char() rune {
	if s.at >= len(s.text) {
		return 0
	}
	if c := s.text[s.at]; c < utf8.RuneSelf {
		return rune(c)
	}
	c, _ := utf8.DecodeRuneInString(s.text[s.at:])
	return c
}

// pass goes to the next character.
func (s *scanner) pass() {
	_, size := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += size
}

func (s *scanner) scan() token {
	begin := s.at
	switch c := s.char(); {
	case c == 0:
		return token{kind: ending}
	case digit(c):
		value, n := 0, 0
		for ; digit(s.char()); s.at++ {
			if n > 0 || s.char() != '0' {
				n++
			}
			if n <= 9 {
				value = value*10 + int(s.char()-'0')
			}
		}
		return token{kind: number, value: value, length: s.at - begin}
	case c == '+', c == '-':
		s.at++
		return token{kind: sign, value: int(',' - c), char: c}
	case c == ':', c == '.', c == ')':
		s.at++
		return token{kind: symbol, char: c}
	case blank(c):
		s.pass()
		return token{kind: space}
	case c >= 'A':
		for s.char() >= 'A' && !blank(s.char()) {
			s.pass()
		}
		return named(s.text[begin:s.at])
	case c == '(':
		for open := 0; s.char() != 0; {
			switch s.char() {
			case '(':
				open++
			case ')':
				open--
			}
			s.pass()
			if open == 0 {
				break
			}
		}
		return token{kind: other}
	}
	s.pass()
	return token{kind: other}
}

// blank reports whether a character is white space. U+2028 and U+2029 are parts of words.
func blank(c rune) bool {
	switch c {
	case 0xfeff:
		return true
	case 0x85, 0x2028, 0x2029:
		return false
	}
	return unicode.IsSpace(c)
}

func digit(c rune) bool { return '0' <= c && c <= '9' }

// words are what a text may have besides numbers. Of a month, the first three letters count.
var words = map[string]token{
	"am": {kind: half, value: 0}, "pm": {kind: half, value: 12}, "t": {kind: between},
	"z": {kind: zone}, "ut": {kind: zone}, "utc": {kind: zone}, "gmt": {kind: zone},
	"edt": {kind: zone, value: -4}, "est": {kind: zone, value: -5}, "cdt": {kind: zone, value: -5}, "cst": {kind: zone, value: -6},
	"mdt": {kind: zone, value: -6}, "mst": {kind: zone, value: -7}, "pdt": {kind: zone, value: -7}, "pst": {kind: zone, value: -8},
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

func named(text string) token {
	if len(text) >= 3 {
		if at := strings.Index(months, small(text[:3])); at >= 0 && at%3 == 0 {
			return token{kind: month, value: at/3 + 1, length: len(text)}
		}
	}
	t := token{kind: word}
	if len(text) <= 3 {
		if known, ok := words[small(text)]; ok {
			t = known
		}
	}
	t.length = len(text)
	return t
}

// small has small letters for the capitals of ASCII.
func small(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		return c
	}, text)
}
