package realm

import (
	"math"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
)

// powers lowers a ** b, whose last digits the engine gets wrong, once all else was lowered: others know the
// operator, but not a call. A square is right, and so is a whole power of literals that is not long.
func (l *lowering) powers(tree *ast.Program) {
	if l.bigints && len(l.exponents) > 0 {
		l.readValues(tree)
	}
	for _, node := range l.exponents {
		switch e := node.(type) {
		case *ast.BinaryExpression:
			if l.bigints && (l.values.big(e.Left) || l.values.big(e.Right)) {
				continue
			}
			e.Left = l.call(powerName, e.Left, e.Right)
			e.Operator, e.Right = operators.COALESCE, numeral(e.Left.Idx0(), int64(0)) // it is never null
		case *ast.AssignExpression:
			if e.Operator == operators.EXPONENT && isPlace(e.Left) {
				e.Operator, e.Right = operators.ASSIGN, l.call(powerName, e.Left, e.Right)
			}
		}
	}
}

// isExponent reports whether powers lowers a node.
func (l *lowering) isExponent(node any) bool {
	switch e := node.(type) {
	case *ast.BinaryExpression:
		return e.Operator == operators.EXPONENT && l.mayBeLong(e.Left, e.Right)
	case *ast.AssignExpression:
		return e.Operator == operators.EXPONENT && l.mayBeLong(e.Left, e.Right)
	}
	return false
}

// mayBeLong reports whether a power may have more digits than the engine gets right.
func (l *lowering) mayBeLong(a, b ast.Expression) bool {
	y, known := integer(b)
	if known && (y >= 0 && y <= 2) {
		return false
	}
	x, both := integer(a)
	const exact = 1 << 53
	return !(known && both && math.Pow(math.Abs(float64(x)), math.Abs(float64(y))) <= exact && y > 0) && isNumberOrUnknown(a) && isNumberOrUnknown(b)
}

// isNumberOrUnknown reports whether an expression is no BigInt that is written so.
func isNumberOrUnknown(e ast.Expression) bool {
	if sign, ok := e.(*ast.UnaryExpression); ok {
		e = sign.Operand
	}
	_, literal := e.(*ast.NumberLiteral)
	return !literal || isNumberLiteral(e)
}

// bigPower is a ** b of BigInts, by the engine.
var bigPower = program("power", `((a, b) => a ** b)`)

// powers is a ** b.
func (r *Realm) powers() func(goja.FunctionCall) goja.Value {
	var big goja.Callable
	return func(call goja.FunctionCall) goja.Value {
		a, b := call.Arguments[0], call.Arguments[1]
		if !isNumeric(a) || !isNumeric(b) {
			a = r.numeric(a)
			b = r.numeric(b)
			if a.ExportType() == bigIntType || b.ExportType() == bigIntType {
				if big == nil {
					var err error
					if big, err = r.function(bigPower()); err != nil {
						panic(err)
					}
				}
				return must(big(goja.Undefined(), a, b))
			}
		}
		return r.vm.ToValue(power(a.ToFloat(), b.ToFloat()))
	}
}

// powerOf is Math.pow.
func powerOf(r *Realm, _ goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		x := r.number(call.Argument(0))
		y := r.number(call.Argument(1))
		return r.vm.ToValue(power(x, y))
	}
}
