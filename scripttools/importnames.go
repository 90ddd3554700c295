package scripttools

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// blank finds what may stand between the words of an import: white space and comments. quoted
// finds a string. Both look at where a text begins.
var (
	blank  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + space + ")*") })
	quoted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:"(?:[^"\\\r\n]|\\(?s:.))+"|'(?:[^'\\\r\n]|\\(?s:.))+'|` + "`(?:[^`\\\\]|\\\\(?s:.))+`)")
	})
	imports = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("from|import|require") })
)

const space = `[\s\p{Z}\v\x{FEFF}]|/\*(?:[^*]|\*+[^*/])*\*+/|//[^\r\n\x{2028}\x{2029}]*`

// mostAhead is how far behind a word of an import its names are looked for.
const mostAhead = 1 << 10

// importNames are what a text may import, also if it only looks so: a string behind the word, and
// those between its parentheses. It takes no more than left steps, and gives most names.
func importNames(text []byte, left *int, most int) (names []string) {
	for _, word := range imports().FindAllIndex(text, -1) {
		ahead, calls := text[word[1]:min(word[1]+mostAhead, len(text))], text[word[0]] != 'f'
		for depth, more := 0, true; more; more = depth > 0 && len(ahead) > 0 {
			if *left--; *left < 0 || len(names) == most {
				return names
			}
			ahead = ahead[len(blank().Find(ahead)):]
			if found := quoted().Find(ahead); found != nil {
				names = append(names, unescaped(string(found[1:len(found)-1])))
				ahead = ahead[len(found):]
				continue
			}
			for i := 0; len(ahead) > 0 && calls && (i == 0 || depth > 0 && ordinary(ahead[0])); i++ {
				switch ahead[0] {
				case '(':
					depth++
				case ')':
					depth--
				}
				ahead = ahead[1:]
			}
		}
	}
	return names
}

// ordinary reports whether neither a string nor what is blank begins with a byte.
func ordinary(b byte) bool {
	return b > ' ' && b < 0x80 && !strings.ContainsRune("\"'`/", rune(b))
}

var escape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,6})\}|(\r\n|(?s:.)))`)
})

// unescaped is what stands in a string. Escapes of characters that are in no path stay apart.
func unescaped(text string) string {
	return escape().ReplaceAllStringFunc(text, func(found string) string {
		parts := escape().FindStringSubmatch(found)
		if code, err := strconv.ParseUint(parts[1]+parts[2]+parts[3], 16, 32); err == nil {
			return string(rune(code)) //nolint:gosec // six digits
		}
		if strings.ContainsAny(parts[4], "\r\n\u2028\u2029") {
			return "" // the string goes on in the next line
		}
		return parts[4]
	})
}

// withoutRemarks is a text without lines that are comments.
func withoutRemarks(text []byte) []byte {
	var left []byte
	for _, line := range bytes.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\r\n\u2028\u2029", r) }) {
		// Another comment, or a text, may end in it.
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) || bytes.ContainsAny(line, "*`") {
			left = append(append(left, line...), '\n')
		}
	}
	return left
}
