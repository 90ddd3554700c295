package realm

import (
	"slices"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// The body of a generator that is lowered becomes a block, where a function is what let declares: two of
// a name, or one beside a var, would be refused. The last of a name counts; beside a var it becomes one:
//
//	f = function () {…}; … var f = 1; …

// oneEach leaves one function of each name at the top of a body, and gives the statements.
func oneEach(f *ast.FunctionLiteral, list []ast.Statement) []ast.Statement {
	last := map[unistring.String]int{}
	for i, s := range list {
		if declared, ok := s.(*ast.FunctionDeclaration); ok {
			last[declared.Function.Name.Name] = i
		}
	}
	vars := map[unistring.String]bool{}
	if len(last) > 0 {
		vars = varsOf(f)
	}
	var first, rest []ast.Statement
	for i, s := range list {
		declared, ok := s.(*ast.FunctionDeclaration)
		switch {
		case !ok:
			rest = append(rest, s)
		case last[declared.Function.Name.Name] != i:
		case vars[declared.Function.Name.Name]:
			first = append(first, given(declared.Function))
		default:
			rest = append(rest, s)
		}
	}
	return slices.Concat(first, rest)
}

// varsOf are the names that a function declares with var, wherever in it.
func varsOf(f *ast.FunctionLiteral) map[unistring.String]bool {
	names := map[unistring.String]bool{}
	for _, declared := range f.DeclarationList {
		for _, b := range declared.List {
			syntax.Each(b.Target, func(node any) {
				if name, ok := node.(*ast.Identifier); ok {
					names[name.Name] = true
				}
			}, nil)
		}
	}
	return names
}

// given is a function that a variable is given, whose name it has, and which it sees in itself.
func given(f *ast.FunctionLiteral) ast.Statement {
	name := f.Name
	f.Name = nil
	return &ast.ExpressionStatement{Expression: &ast.AssignExpression{
		Operator: operators.ASSIGN, Left: &ast.Identifier{Name: name.Name, Idx: name.Idx}, Right: f,
	}}
}
