package realm

import (
	"strings"
	"unicode"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// orderError is a row of comparisons whose order cannot be told. Idx is the place of its
// first character, from 1, in bytes.
type orderError struct{ Idx int }

// Error implements error.
func (e *orderError) Error() string {
	return "this row of comparisons is not read; write it on one line without comments, or with parentheses: (a < b) < c"
}

// lower gives rows of comparisons their order, in place: a < b < c is (a < b) < c, which
// the engine's parser reads as a < (b < c). The error is an *orderError. It also does what
// [lowering] does, and reports whether the program calls it, and which functions it may give texts
// for numbers.
func lower(tree *ast.Program, source string) (calls bool, texts []mending, err error) {
	rows := comparisons{source: source}
	bigints := hasBigInts(source)
	anew := lowering{bigints: bigints, values: values{bigints: bigints}, counts: countsConversions(source), calls: map[unistring.String]file.Idx{}}
	defer func() {
		if unclear, ok := recover().(*orderError); ok {
			err = unclear
		}
	}()
	syntax.Each(tree, func(node any) {
		if e, ok := node.(*ast.BinaryExpression); ok {
			rows.order(e)
		}
	}, anew.leave)
	anew.finish(tree)
	texts = anew.readingsIn(tree, source)
	anew.powers(tree)
	anew.declare(tree)
	return len(anew.calls) > 0, texts, nil
}

// comparisons puts the comparisons of a source in order. It panics with an *orderError.
type comparisons struct {
	source string
	read   int // bytes that were read again
}

// order turns a < (b < c) around, unless it is written so.
func (c *comparisons) order(e *ast.BinaryExpression) {
	for compares(e.Operator) {
		right, ok := e.Right.(*ast.BinaryExpression)
		if !ok || !compares(right.Operator) || c.grouped(right) {
			return
		}
		e.Left = &ast.BinaryExpression{Operator: e.Operator, Left: e.Left, Right: right.Left, Comparison: e.Comparison}
		e.Operator, e.Right, e.Comparison = right.Operator, right.Right, right.Comparison
	}
}

func compares(operator operators.Token) bool {
	switch operator {
	case operators.LESS, operators.LESS_OR_EQUAL, operators.GREATER, operators.GREATER_OR_EQUAL, operators.INSTANCEOF, operators.IN:
		return true
	}
	return false
}

// maxReadAgain bounds the work for a source, in bytes.
const maxReadAgain = 1 << 20

// grouped reports whether parentheses hold all of e, which the tree does not say: they begin
// before its first operand, and what is between them and its operator is not an expression.
func (c *comparisons) grouped(e *ast.BinaryExpression) bool {
	unclear := &orderError{int(e.Idx0())}
	opened := func(at int) (code, open int) { // the end of the code before at, and the first parenthesis
		for open = at; ; open = code {
			var ok bool
			if code, ok = c.before(open); !ok {
				panic(unclear)
			}
			if code == 0 || c.source[code-1] != '(' {
				return code, open
			}
			code--
		}
	}
	first := int(e.Idx0()) - 1
	_, open := opened(first)
	if open == first {
		return false
	}
	end, _ := opened(int(e.Right.Idx0()) - 1)
	operand, ok := strings.CutSuffix(c.source[open:end], e.Operator.String())
	if c.read += len(operand); !ok || c.read > maxReadAgain {
		panic(unclear)
	}
	_, err := parser.ParseFile(nil, "", "class A extends B { async *m() { return "+operand+"\n} }", 0, parser.WithDisableSourceMaps)
	return err != nil
}

// before is the end of the code before a place, without white space and comments. It is
// unclear behind a line that may end in a comment, and behind a comment with /* in it.
func (c *comparisons) before(at int) (end int, ok bool) {
	for {
		code := strings.TrimRightFunc(c.source[:at], unicode.IsSpace)
		if strings.ContainsAny(c.source[len(code):at], "\n\r\u2028\u2029") {
			line := code[strings.LastIndexAny(code, "\n\r\u2028\u2029")+1:]
			if strings.Contains(line, "//") {
				return 0, false
			}
		}
		if !strings.HasSuffix(code, "*/") {
			return len(code), true
		}
		at = strings.LastIndex(code, "/*")
		if at < 0 || strings.LastIndex(code[:at], "/*") > strings.LastIndex(code[:at], "*/") { // it may begin further up
			return 0, false
		}
	}
}
