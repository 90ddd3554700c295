package realm

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// maxNesting bounds how deep brackets are nested in a source: the engine's parser is
// recursive, and deep sources have taken gigabytes of stack.
const maxNesting = 2000

// Flaw is one reason why a source is not a program. Lines and columns count
// from 1, columns in characters.
type Flaw struct {
	File      string // what the source imports; empty for itself
	Line, Col int
	Msg       string
}

// parse is the only caller of the engine's parser. Source maps are off: with them it opens
// the file that a comment of the source names.
func parse(name, src string) (tree *ast.Program, err error) {
	defer recovered(&err)
	return parser.ParseFile(nil, name, src, 0, parser.WithDisableSourceMaps)
}

// offsetOf is the byte offset of a place that the engine reports, with the line ends of its
// scanner and columns in bytes.
func offsetOf(src string, line, col int) int {
	at := 0
	for ; line > 1; line-- {
		next := nextLine(src[at:])
		if next < 0 {
			return len(src)
		}
		at += next
	}
	return min(at+max(col-1, 0), len(src))
}

func nextLine(s string) int {
	for i, c := range s {
		switch c {
		case '\n':
			return i + 1
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				return i + 2
			}
			return i + 1
		case '\u2028', '\u2029':
			return i + 3
		}
	}
	return -1
}

// flawAt places a flaw as editors count: lines end in \n, columns count characters.
func flawAt(src string, offset int, msg string) Flaw {
	offset = min(max(offset, 0), len(src))
	before := src[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return Flaw{
		Line: 1 + strings.Count(before, "\n"),
		Col:  1 + utf8.RuneCountInString(before[start:]),
		Msg:  msg,
	}
}

// tooDeep is the offset of the first bracket that is nested too deep, or -1. It also counts
// brackets in strings, where thousands of unclosed ones are rare.
func tooDeep(src string) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				return i
			}
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return -1
}
