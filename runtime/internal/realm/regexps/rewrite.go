package regexps

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// LiteralError is a literal that is no regular expression. Idx is the place of its first
// character, from 1, in bytes.
type LiteralError struct {
	Idx int
	Msg string
}

// Error returns the message alone.
func (e *LiteralError) Error() string { return e.Msg }

// Rewrite puts keys into the literals of a program, in place. It returns how many there are,
// or a *LiteralError.
func Rewrite(source string, tree *ast.Program) (int, error) {
	if !mayHaveLiterals(source) {
		return 0, nil
	}
	w := &rewriter{}
	syntax.Each(tree, func(node any) {
		if literal, ok := node.(*ast.RegExpLiteral); ok {
			w.literal(literal)
		}
	}, nil)
	if w.err != nil { // not in the return, where it would not be nil
		return w.count, w.err
	}
	return w.count, nil
}

// mayHaveLiterals reports whether there is a slash that does not begin or end a comment.
func mayHaveLiterals(source string) bool {
	for i := strings.IndexByte(source, '/'); i >= 0; {
		next := i + 1
		switch {
		case i > 0 && source[i-1] == '*':
		case next < len(source) && (source[next] == '/' || source[next] == '*'):
			next++
		default:
			return true
		}
		if i = strings.IndexByte(source[next:], '/'); i >= 0 {
			i += next
		}
	}
	return false
}

type rewriter struct {
	count int
	err   *LiteralError
}

func (w *rewriter) literal(l *ast.RegExpLiteral) {
	units := utf16.Encode([]rune(l.Pattern))
	flags, ok := regex.ParseFlags(l.Flags)
	switch {
	case w.err != nil:
		return
	case !ok:
		w.err = &LiteralError{int(l.Idx), "the flags " + l.Flags + " of the regular expression are not valid: each of d, g, i, m, s, u, v and y once, and not both of u and v"}
		return
	}
	if err := regex.Check(units, flags); err != nil {
		bad := &regex.SyntaxError{}
		errors.As(err, &bad)
		at := len(string(utf16.Decode(units[:min(bad.Offset, len(units))])))
		w.err = &LiteralError{int(l.Idx) + 1 + at, "the regular expression is not valid: " + lowerFirst(bad.Msg)}
		return
	}
	w.count++
	l.Pattern, l.Flags = encode(units, flags), (flags & nativeFlags).String()
}

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// describe is the message of a SyntaxError at run time.
func describe(units []uint16, flags regex.Flags, err error) string {
	const shown = 200
	pattern := string(utf16.Decode(units[:min(len(units), shown)]))
	if len(units) > shown {
		pattern += "…"
	}
	return fmt.Sprintf("Invalid regular expression: /%s/%s: %s", pattern, flags, err)
}
