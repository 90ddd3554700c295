package realm

import (
	"fmt"
	"strings"
)

// closes are the brackets that close others.
var closes = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// unclosed says which bracket is open where a message found something else, or the end; empty
// for other messages. It reads the source roughly, since it is no program.
func unclosed(src string, offset int, msg string) string {
	found := ""
	for _, before := range []string{"unexpected token ", "unexpected \"", "but found \""} {
		if _, after, ok := strings.Cut(lowerFirst(msg), before); ok {
			found = strings.TrimSuffix(after, "\"")
		}
	}
	end := strings.Contains(msg, "end of input") || strings.Contains(msg, "end of file")
	closing := found == ")" || found == "]" || found == "}"
	if !end && !closing && !strings.Contains(msg, "but found") {
		return ""
	}
	open := innermost(src[:min(max(offset, 0), len(src))])
	if open < 0 || closing && closes[src[open]] == found[0] {
		return ""
	}
	return fmt.Sprintf("; the %c of line %d is not closed", src[open], strings.Count(src[:open], "\n")+1)
}

// innermost is the offset of the last bracket that a text leaves open, or -1.
func innermost(src string) int {
	var open []int // brackets, and the ${ of templates
	var last byte  // the last one that means something
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case strings.HasPrefix(src[i:], "//"):
			i += until(src[i:], "\n")
			continue
		case strings.HasPrefix(src[i:], "/*"):
			i += 1 + until(src[i+1:], "*/")
			continue
		case c == '"' || c == '\'':
			i += quoted(src[i:], c)
		case c == '`', c == '}' && len(open) > 0 && src[open[len(open)-1]] == '$':
			if c == '}' {
				open = open[:len(open)-1]
			}
			length := template(src[i:])
			if i += length; i+1 < len(src) && src[i] == '$' {
				open = append(open, i)
				i++
				c = '('
			}
		case c == '/' && strings.IndexByte("(,=:[!&|?{};+-*%<>~^\x00", last) >= 0:
			i += expression(src[i:])
		case closes[c] != 0:
			open = append(open, i)
		case c == ')' || c == ']' || c == '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		}
		last = c
	}
	for len(open) > 0 && src[open[len(open)-1]] == '$' {
		open = open[:len(open)-1]
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// until is how much of a text comes up to the last letter of what ends it.
func until(text, end string) int {
	if at := strings.Index(text, end); at >= 0 {
		return at + len(end) - 1
	}
	return len(text)
}

// quoted is the offset of the quote that ends a string, or of the end of its line.
func quoted(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote, '\n':
			return i
		}
	}
	return len(text)
}

// template is the offset of what ends a part of a template: a backtick, or the $ of ${.
func template(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '`', strings.HasPrefix(text[i:], "${"):
			return i
		}
	}
	return len(text)
}

// expression is the offset of the slash that ends a regular expression, or of the end of its line.
func expression(text string) int {
	class := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '\n', c == '/' && !class:
			return i
		case c == '[' || c == ']':
			class = c == '['
		}
	}
	return len(text)
}
