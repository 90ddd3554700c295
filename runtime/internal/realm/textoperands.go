package realm

import (
	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
)

// Where the engine makes a number of an operand by itself, it reads texts that are not ASCII as
// NaN: -"1.5\u00a0", x++ whose value nobody takes. Array.from({ length }) likewise.

// negated is the operand of a minus, which the engine also asks twice what it is.
func (l *lowering) negated(e ast.Expression) ast.Expression {
	switch {
	case !l.mayBeText(e):
		return e
	case !l.bigints && !isVariable(e):
		return joined(operators.MINUS, e, numeral(e.Idx0(), int64(0)))
	}
	return l.numeric(e)
}

// countsVariable reports whether an expression is x++ or the like.
func countsVariable(e ast.Expression) bool {
	counted, ok := e.(*ast.UnaryExpression)
	return ok && (counted.Operator == operators.INCREMENT || counted.Operator == operators.DECREMENT) && isVariable(counted.Operand)
}

// counted makes x++ of a variable that may be a text !x++: if its value is taken, it is right.
func (l *lowering) counted(e ast.Expression) ast.Expression {
	if many, ok := e.(*ast.SequenceExpression); ok {
		for i, one := range many.Sequence {
			many.Sequence[i] = l.counted(one)
		}
		return e
	}
	if !countsVariable(e) || !l.mayBeText(e.(*ast.UnaryExpression).Operand) {
		return e
	}
	return &ast.UnaryExpression{Operator: operators.NOT, Idx: e.Idx0(), Operand: e}
}

// rowOf are the expressions of a, b, c.
func rowOf(e ast.Expression) []ast.Expression {
	if many, ok := e.(*ast.SequenceExpression); ok {
		return many.Sequence
	}
	return []ast.Expression{e}
}

// countsFromNumber reports whether a loop has but one variable, which begins as a number and is
// counted, as most have: there is no need to look at the rest of the source.
func countsFromNumber(loop *ast.ForStatement) bool {
	if !countsVariable(loop.Update) {
		return false
	}
	var list []*ast.Binding
	switch begin := loop.Initializer.(type) {
	case *ast.ForLoopInitializerLexicalDecl:
		list = begin.LexicalDeclaration.List
	case *ast.ForLoopInitializerVarDeclList:
		list = begin.List
	}
	return len(list) > 0 && nameOf(list[0].Target) == nameOf(loop.Update.(*ast.UnaryExpression).Operand) && isNumberLiteral(list[0].Initializer)
}

// listLength is the length in X.from({ length: n }), which it writes out where it is { length };
// nil if a call is another one.
func listLength(call *ast.CallExpression) *ast.PropertyKeyed {
	method, ok := call.Callee.(*ast.DotExpression)
	if !ok || method.Identifier.Name != "from" || len(call.ArgumentList) == 0 {
		return nil
	}
	list, ok := call.ArgumentList[0].(*ast.ObjectLiteral)
	if !ok || len(list.Value) != 1 {
		return nil
	}
	switch p := list.Value[0].(type) {
	case *ast.PropertyShort:
		if p.Name.Name == "length" && p.Initializer == nil {
			name := p.Name
			keyed := &ast.PropertyKeyed{Key: textLiteral(name.Idx, "length"), Kind: ast.PropertyKindValue, Value: &name}
			list.Value[0] = keyed
			return keyed
		}
	case *ast.PropertyKeyed:
		if key, ok := p.Key.(*ast.StringLiteral); ok && key.Value == "length" && p.Kind == ast.PropertyKindValue {
			return p
		}
	}
	return nil
}
