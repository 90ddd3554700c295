package realm

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
	gotoken "github.com/dop251/goja/token"
)

// Where a check cannot be killed, shapes are refused of which it is known that
// the engine takes twice as long for one more, or far more than in proportion.
// There may be others: this is a courtesy to those who made one by accident, not
// a limit.
const (
	maxParameterNesting = 8    // arrow functions among the parameters of others
	maxLogicalNesting   = 12   // && || ?? of constants
	maxConstantTerms    = 2000 // of one constant expression
	maxTreeDepth        = 5000
)

// multiplies finds arrow functions whose parameters hold arrow functions: the
// engine's parser reads parameters again once it knows what they are.
func multiplies(src string) *Flaw {
	var open []int    // where brackets opened
	var heights []int // of what is in them, and of all at the end
	below := 0
	for i := range len(src) {
		switch src[i] {
		case '(':
			open, heights = append(open, i), append(heights, below)
			below = 0
		case ')':
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
			below = 0
		}
	}
	return nil
}

func arrowFollows(rest string) bool {
	const near = 64 // so that the walk stays linear
	rest = rest[:min(near, len(rest))]
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if !strings.HasPrefix(rest, "/*") {
			return strings.HasPrefix(rest, "=>")
		}
		_, rest, _ = strings.Cut(rest[2:], "*/")
	}
}

// costly finds constants that take the engine long to compute, and trees that
// are deep.
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
	logical int // how deep && || ?? are nested in it
	terms   int
}

var astPackage = reflect.TypeFor[ast.Program]().PkgPath()

// node walks what is below a node.
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
			return constant{is: true, terms: 1}
		case *ast.UnaryExpression:
			c := w.node(reflect.ValueOf(n.Operand), depth+1)
			c.terms++
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
			// Declarations are told twice: where they are, and as a list.
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
	switch n.Operator {
	case gotoken.LOGICAL_AND, gotoken.LOGICAL_OR, gotoken.COALESCE:
		c.is = left.is // the engine looks at the right only where it must
		c.logical++
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
