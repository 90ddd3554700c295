package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// argumentsUser is a function around the node that is visited.
type argumentsUser struct {
	literal          *ast.FunctionLiteral // nil for an arrow function, which has no arguments of its own
	parameter        *ast.Binding         // that is visited
	parameters, used bool
}

// nameArguments names arguments in each function of which an arrow function alone uses them: the
// engine gives such an arrow function other values, or crashes.
func nameArguments(tree *ast.Program, source string) {
	if !strings.Contains(source, "arguments") || !strings.Contains(source, "=>") {
		return
	}
	var around []*argumentsUser
	var lacking []*argumentsUser
	defaults := map[*ast.Binding]bool{}
	declared := false
	use := func(name string) {
		if name != "arguments" || len(around) == 0 || around[len(around)-1].literal != nil {
			return
		}
		for _, f := range slices.Backward(around) {
			if f.literal == nil {
				continue
			}
			if f.parameters && f.parameter != nil && f.parameter.Initializer != nil {
				defaults[f.parameter] = true
			} else if !f.used {
				f.used = true
				lacking = append(lacking, f)
			}
			return
		}
	}
	syntax.Each(tree, func(node any) {
		switch n := node.(type) {
		case *ast.FunctionLiteral:
			around = append(around, &argumentsUser{literal: n})
		case *ast.ArrowFunctionLiteral:
			around = append(around, &argumentsUser{})
		case *ast.ParameterList:
			if len(around) > 0 {
				around[len(around)-1].parameters = true
			}
		case *ast.Binding:
			declared = declared || nameOf(n.Target) == "arguments"
			if len(around) > 0 && around[len(around)-1].parameters {
				around[len(around)-1].parameter = n
			}
		case *ast.Identifier:
			use(n.Name.String())
		case *ast.PropertyShort:
			use(n.Name.Name.String())
		}
	}, func(node any) {
		switch node.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			around = around[:len(around)-1]
		case *ast.ParameterList:
			if len(around) > 0 {
				around[len(around)-1].parameters = false
			}
		}
	})
	if declared { // they are somebody's own
		return
	}
	for parameter := range defaults {
		at := parameter.Initializer.Idx0()
		parameter.Initializer = &ast.SequenceExpression{Sequence: []ast.Expression{identifier("arguments", at), parameter.Initializer}}
	}
	for _, f := range lacking {
		body := f.literal.Body
		first := 0
		for first < len(body.List) && isDirective(body.List[first]) {
			first++
		}
		body.List = slices.Insert(slices.Clone(body.List), first, ast.Statement(&ast.ExpressionStatement{
			Expression: &ast.UnaryExpression{Operator: operators.VOID, Idx: body.LeftBrace, Operand: identifier("arguments", body.LeftBrace)},
		}))
	}
}
