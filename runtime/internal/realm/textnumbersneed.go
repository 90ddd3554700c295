package realm

import (
	"math/big"
	"strings"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// readingsIn finds the functions that a program may give texts for numbers. Most calls have
// numbers, as in s.slice(1) and Math.floor(x / 2), and need nothing.
func (l *lowering) readingsIn(tree *ast.Program, source string) (found []mending) {
	needed := map[string]bool{}
	var order []string
	need := func(name string) {
		if len(readingsOf[name]) > 0 && !needed[name] {
			needed[name] = true
			order = append(order, name)
		}
	}
	var unsure []*ast.CallExpression // that wait until the values are known
	passed := map[any]bool{}         // callees and keys, which are no use by themselves
	syntax.Each(tree, func(node any) {
		switch n := node.(type) {
		case *ast.CallExpression:
			if name := calleeName(n.Callee); len(readingsOf[name]) > 0 {
				passed[n.Callee] = true
				if l.mayGiveText(name, n.ArgumentList) {
					unsure = append(unsure, n)
				}
			}
		case *ast.DotExpression:
			if !passed[n] {
				need(calleeName(n))
			}
		case *ast.Identifier:
			if !passed[n] && (n.Name == "isNaN" || n.Name == "isFinite") {
				need(n.Name.String())
			}
		case *ast.PropertyShort:
			need(n.Name.Name.String())
		case *ast.ObjectLiteral:
			for _, p := range n.Value {
				if keyed, ok := p.(*ast.PropertyKeyed); ok {
					passed[keyed.Key] = true
				}
			}
		case *ast.StringLiteral:
			if !passed[n] {
				need(n.Value.String())
			}
		}
	}, nil)
	if len(unsure) > 0 {
		l.readValues(tree)
	}
	for _, call := range unsure {
		if name := calleeName(call.Callee); l.mayGiveText(name, call.ArgumentList) {
			need(name)
		}
	}
	for _, name := range order {
		for _, r := range readingsOf[name] {
			if r.mayBeIn(source) {
				found = append(found, mending{sizedFunction{r.owner, name, r.prototype}, r.around})
			}
		}
	}
	return found
}

// mayBeIn reports whether a source may have what the functions belong to.
func (rd reading) mayBeIn(source string) bool {
	var words []string
	switch rd.owner {
	case "Math", "DataView":
		words = []string{rd.owner}
	case "BigInt":
		return mayHaveBigInts(source) || strings.Contains(source, "BigInt")
	case typedArray, "ArrayBuffer":
		words = []string{"8Array", "16Array", "32Array", "64Array", "ClampedArray", "Buffer", "TextEncoder"}
	default:
		return true
	}
	for _, word := range words {
		if strings.Contains(source, word) {
			return true
		}
	}
	return false
}

// calleeName is the name of what is called.
func calleeName(callee ast.Expression) string {
	switch c := callee.(type) {
	case *ast.Identifier:
		return c.Name.String()
	case *ast.DotExpression:
		if owner, ok := c.Left.(*ast.Identifier); !ok || owner.Name != "console" { // whose log is none of Math
			return c.Identifier.Name.String()
		}
	}
	return ""
}

// mayGiveText reports whether one of the arguments that a function makes numbers of may be a text.
func (l *lowering) mayGiveText(name string, arguments []ast.Expression) bool {
	for i, a := range arguments {
		if _, many := a.(*ast.SpreadElement); many {
			return true
		}
		for _, r := range readingsOf[name] {
			if r.reads(i) && l.mayBeText(a) {
				return true
			}
		}
	}
	return false
}

func (rd reading) reads(argument int) bool {
	for _, at := range rd.at {
		if at == argument {
			return true
		}
	}
	return rd.at == nil
}

// mayBeText reports whether an expression may be a text, or an object.
func (l *lowering) mayBeText(e ast.Expression) bool {
	switch e := e.(type) {
	case nil:
		return false
	case *ast.NumberLiteral:
		_, big := e.Value.(*big.Int)
		return big
	case *ast.StringLiteral:
		return strings.Trim(e.Value.String(), "0123456789") != ""
	case *ast.UnaryExpression:
		return e.Operator == operators.TYPEOF
	case *ast.BinaryExpression:
		return l.mayJoinText(e.Operator, e.Left, e.Right)
	case *ast.AssignExpression:
		if e.Operator == operators.ASSIGN {
			return l.mayBeText(e.Right)
		}
		return l.mayJoinText(e.Operator, e.Left, e.Right)
	case *ast.ConditionalExpression:
		return l.mayBeText(e.Consequent) || l.mayBeText(e.Alternate)
	case *ast.SequenceExpression:
		return l.mayBeText(e.Sequence[len(e.Sequence)-1])
	case *ast.DotExpression:
		return !numberProperties[e.Identifier.Name]
	case *ast.CallExpression:
		return !givesNumber(e)
	case *ast.Identifier:
		if e.Name == "undefined" {
			return false
		}
	}
	return !isBounded(l.values.bound(e))
}

// mayJoinText is mayBeText of two operands.
func (l *lowering) mayJoinText(operator operators.Token, a, b ast.Expression) bool {
	switch operator {
	case operators.PLUS, operators.LOGICAL_AND, operators.LOGICAL_OR, operators.COALESCE:
		return l.mayBeText(a) || l.mayBeText(b)
	}
	return false
}

// numberProperties and numberMethods are those that are numbers, or give them, wherever the
// language has them.
var (
	numberProperties = map[unistring.String]bool{"length": true, "byteLength": true, "size": true, "lastIndex": true, "index": true, "PI": true, "MAX_SAFE_INTEGER": true}
	numberMethods    = map[unistring.String]bool{
		"indexOf": true, "lastIndexOf": true, "search": true, "findIndex": true, "findLastIndex": true, "charCodeAt": true, "codePointAt": true, "localeCompare": true,
		"now": true, "getTime": true, "getFullYear": true, "getMonth": true, "getDate": true, "getDay": true, "getHours": true, "getMinutes": true, "parseFloat": true, "parseInt": true,
	}
)

func givesNumber(call *ast.CallExpression) bool {
	switch callee := call.Callee.(type) {
	case *ast.Identifier:
		return callee.Name == "Number" || callee.Name == "parseInt" || callee.Name == "parseFloat"
	case *ast.DotExpression:
		owner, ok := callee.Left.(*ast.Identifier)
		return numberMethods[callee.Identifier.Name] || ok && owner.Name == "Math"
	}
	return false
}
