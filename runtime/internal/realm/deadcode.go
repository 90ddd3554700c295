package realm

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	operators "github.com/dop251/goja/token"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// The engine compiles code that cannot run, as after if (false), into a program that it throws
// away. A break or a continue there is remembered by its loop all the same, which then sets the
// jump in the program that it keeps, in the place of some other instruction.

// mendDeadCode keeps the engine from seeing that code cannot run.
func mendDeadCode(tree *ast.Program) {
	syntax.Each(tree, func(node any) {
		switch s := node.(type) {
		case *ast.IfStatement:
			s.Test = asked(s.Test)
		case *ast.WhileStatement:
			if !isTrue(s.Test) {
				s.Test = asked(s.Test)
			}
		case *ast.ForStatement:
			if !isTrue(s.Test) {
				s.Test = asked(s.Test)
			}
		}
	}, nil)
}

// mendDeadEnds does so with what stands behind a break at the top level: the engine looks for
// the last statement that has a result, and this one has.
func mendDeadEnds(tree *ast.Program) {
	end := file.Idx(tree.File.Base() + len(tree.File.Source()))
	tree.Body = append(tree.Body, &ast.ExpressionStatement{Expression: &ast.NullLiteral{Idx: end, Literal: "null"}})
}

// asked is an expression that the engine computes when the program runs.
func asked(e ast.Expression) ast.Expression {
	if !isConstant(e) {
		return e
	}
	return &ast.SequenceExpression{Sequence: []ast.Expression{e}}
}

// isConstant reports whether the engine may compute an expression when it compiles it.
func isConstant(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.BooleanLiteral, *ast.NumberLiteral, *ast.StringLiteral, *ast.NullLiteral:
		return true
	case *ast.UnaryExpression:
		return isConstant(e.Operand)
	case *ast.BinaryExpression:
		return isConstant(e.Left)
	}
	return false
}

// isTrue recognises the loops without end that people write.
func isTrue(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.BooleanLiteral:
		return e.Value
	case *ast.NumberLiteral:
		return e.Value == int64(1)
	case *ast.UnaryExpression: // !0, as it is after a minifier
		zero, ok := e.Operand.(*ast.NumberLiteral)
		return ok && e.Operator == operators.NOT && zero.Value == int64(0)
	}
	return false
}
