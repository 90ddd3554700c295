package realm

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
	gotoken "github.com/dop251/goja/token"
)

// If a check cannot be killed, it refuses code of which the engine is known to take
// exponential or quadratic time. There may be other such code: this helps authors who wrote
// some by accident, and is not a security limit.
const (
	maxParameterNesting = 8    // arrow functions among the parameters of others
	maxArrows           = 500  // arrow functions that return each other
	maxLogicalNesting   = 12   // && || ?? of constants
	maxConstantTerms    = 2000 // of one constant expression
	maxTreeDepth        = 5000
)

// multiplies finds code that the engine's parser is slow at: arrow functions in the
// parameters of arrow functions, since it parses parameters twice, and very many arrow
// functions that return each other.
func multiplies(src string) *Flaw {
	var open []int    // offsets of open brackets
	var heights []int // how deep arrow functions were nested before each
	below, arrows := 0, 0
	for i := range len(src) {
		switch src[i] {
		case '>':
			if i > 0 && src[i-1] == '=' {
				arrows++
			}
			if arrows > maxArrows {
				flaw := flawAt(src, i, fmt.Sprintf("more than %d functions return each other here", maxArrows))
				return &flaw
			}
		case ',', '}':
			arrows = 0
		case '(':
			open, heights = append(open, i), append(heights, below)
			below = 0
		case ')':
			if !arrowFollows(src[i+1:]) {
				arrows = 0
			}
			if len(open) == 0 {
				continue
			}
			at := open[len(open)-1]
			if arrowFollows(src[i+1:]) {
				below++
			}
			if below > maxParameterNesting {
				flaw := flawAt(src, at, fmt.Sprintf("functions are nested more than %d deep in parameters here", maxParameterNesting))
				return &flaw
			}
			below = max(below, heights[len(heights)-1])
			open, heights = open[:len(open)-1], heights[:len(heights)-1]
		case ';':
			below, arrows = 0, 0
		}
	}
	return nil
}

func arrowFollows(rest string) bool {
	const near = 64 // keeps the scan linear
	rest = rest[:min(near, len(rest))]
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if !strings.HasPrefix(rest, "/*") {
			return strings.HasPrefix(rest, "=>")
		}
		_, rest, _ = strings.Cut(rest[2:], "*/")
	}
}

// costly finds constants that the engine is slow to compute, and deep trees.
func costly(src string, tree *ast.Program) *Flaw {
	w := &costWalk{}
	w.node(reflect.ValueOf(tree), 0)
	if w.msg == "" {
		return nil
	}
	flaw := flawAt(src, 0, w.msg)
	return &flaw
}

type costWalk struct{ msg string }

// constant is what is known of an expression.
type constant struct {
	is      bool
	value   worth
	logical int // how deep && || ?? are nested in it
	terms   int
}

// worth is how && || ?? treat a constant.
type worth int

const (
	unknown worth = iota
	truthy
	falsy
	nullish
)

// literal is what is known of a literal.
func literal(e ast.Expression) constant {
	c := constant{is: true, terms: 1, value: truthy}
	switch l := e.(type) {
	case *ast.NullLiteral:
		c.value = nullish
	case *ast.BooleanLiteral:
		if !l.Value {
			c.value = falsy
		}
	case *ast.StringLiteral:
		if l.Value.String() == "" {
			c.value = falsy
		}
	case *ast.NumberLiteral:
		c.value = unknown
		if n, ok := l.Value.(int64); ok && n != 0 {
			c.value = truthy
		}
	}
	return c
}

var astPackage = reflect.TypeFor[ast.Program]().PkgPath()

// node walks the tree below a node.
func (w *costWalk) node(v reflect.Value, depth int) constant {
	if w.msg != "" {
		return constant{}
	}
	if depth > maxTreeDepth {
		w.msg = fmt.Sprintf("expressions or statements are nested more than %d deep", maxTreeDepth)
		return constant{}
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return constant{}
		}
		switch n := v.Interface().(type) {
		case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
			return literal(n.(ast.Expression))
		case *ast.UnaryExpression:
			c := w.node(reflect.ValueOf(n.Operand), depth+1)
			c.terms++
			c.value = unknown
			return w.constant(c)
		case *ast.BinaryExpression:
			return w.binary(n, depth)
		}
		return w.node(v.Elem(), depth+1)
	case reflect.Slice:
		for i := range v.Len() {
			w.node(v.Index(i), depth+1)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != astPackage {
			return constant{}
		}
		for i := range v.NumField() {
			// DeclarationList repeats what the body has.
			if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
				w.node(v.Field(i), depth+1)
			}
		}
	}
	return constant{}
}

func (w *costWalk) binary(n *ast.BinaryExpression, depth int) constant {
	left := w.node(reflect.ValueOf(n.Left), depth+1)
	right := w.node(reflect.ValueOf(n.Right), depth+1)
	c := constant{is: left.is && right.is, logical: max(left.logical, right.logical), terms: left.terms + right.terms}
	var skips bool // the right operand is not evaluated
	switch n.Operator {
	case gotoken.LOGICAL_AND:
		skips = left.value == falsy || left.value == nullish
	case gotoken.LOGICAL_OR:
		skips = left.value == truthy
	case gotoken.COALESCE:
		skips = left.value == truthy || left.value == falsy
	default:
		return w.constant(c)
	}
	c.logical++
	switch {
	case skips:
		c.is, c.value = left.is, left.value
	case left.value != unknown:
		c.value = right.value
	}
	return w.constant(c)
}

func (w *costWalk) constant(c constant) constant {
	switch {
	case !c.is:
		return constant{}
	case c.logical > maxLogicalNesting:
		w.msg = fmt.Sprintf("more than %d of && || ?? are joined whose values are constants", maxLogicalNesting)
	case c.terms > maxConstantTerms:
		w.msg = fmt.Sprintf("a constant is made of more than %d others", maxConstantTerms)
	}
	return c
}
