package realm

import (
	"math/big"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
)

// big reports whether an expression is always a BigInt, as far as that is found soon.
func (v *values) big(e ast.Expression) bool {
	v.left = 1000
	return v.isBig(e)
}

func (v *values) isBig(e ast.Expression) bool {
	if v.left--; v.left < 0 {
		return false
	}
	switch e := e.(type) {
	case *ast.NumberLiteral:
		_, ok := e.Value.(*big.Int)
		return ok
	case *ast.UnaryExpression:
		return (e.Operator == operators.MINUS || e.Operator == operators.BITWISE_NOT) && v.isBig(e.Operand)
	case *ast.BinaryExpression:
		switch e.Operator {
		case operators.AND, operators.OR, operators.EXCLUSIVE_OR, operators.SHIFT_LEFT, operators.SHIFT_RIGHT,
			operators.MINUS, operators.MULTIPLY, operators.SLASH, operators.REMAINDER, operators.EXPONENT:
			return v.isBig(e.Left) || v.isBig(e.Right) // with a number it throws
		case operators.PLUS:
			return v.isBig(e.Left) && v.isBig(e.Right)
		}
	case *ast.CallExpression:
		if of, ok := e.Callee.(*ast.DotExpression); ok && (of.Identifier.Name == "asUintN" || of.Identifier.Name == "asIntN") {
			return true
		}
		name, ok := e.Callee.(*ast.Identifier)
		return ok && name.Name == "BigInt" && !v.known(name)
	case *ast.Identifier:
		return v.bigVariable(v.of[e])
	}
	return false
}

func (v *values) bigVariable(name *variable) bool {
	if !v.settled(name) || v.asked[name] {
		return false
	}
	v.asked[name] = true
	defer delete(v.asked, name)
	for _, e := range v.given[name] {
		if set, ok := e.(*ast.AssignExpression); ok {
			e = set.Right
			if set.Operator != operators.ASSIGN {
				e = joined(set.Operator, set.Left, set.Right)
			}
		}
		if e == nil || !v.isBig(e) {
			return false
		}
	}
	return true
}
