package realm

import (
	"github.com/dop251/goja/ast"
	gotoken "github.com/dop251/goja/token"
)

// authored are names that a source gives to things of its own. What has one of them may be the
// author's, so that nothing is said of it.
type authored struct {
	members   map[string]bool // that it puts on an object, takes off it, or asks for
	methods   map[string]bool // of its classes and objects
	variables map[string]bool // that it assigns to after their declaration, or asks the type of
	tested    map[string]bool // members that it asks for in a condition
	vars      map[string]int  // how often var declares a name
}

func newAuthored() authored {
	return authored{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}}
}

// note notes the names that a node gives.
func (a *authored) note(node any, around []any) {
	switch n := node.(type) {
	case *ast.DotExpression, *ast.BracketExpression:
		if isAskedFor(n, around) {
			a.assigned(n)
		}
		if isTested(n, around) {
			_, name := memberOf(n.(ast.Expression)) //nolint:forcetypeassert // both are
			a.tested[name] = true
		}
	case *ast.Binding: // a second var of one name is an assignment
		if len(around) > 0 {
			if _, ok := around[len(around)-1].(*ast.VariableStatement); ok {
				if a.vars[nameOf(n.Target)]++; a.vars[nameOf(n.Target)] > 1 {
					a.assigned(n.Target)
				}
			}
		}
	case *ast.BinaryExpression:
		if n.Operator == gotoken.IN {
			a.members[writtenText(n.Left)] = true
		}
	case *ast.AssignExpression:
		a.assigned(n.Left)
	case *ast.UnaryExpression:
		switch n.Operator {
		case gotoken.DELETE, gotoken.INCREMENT, gotoken.DECREMENT:
			a.assigned(n.Operand)
		case gotoken.TYPEOF:
			a.variables[nameOf(n.Operand)] = true
		}
	case *ast.ForIntoExpression:
		a.assigned(n.Expression)
	case *ast.CallExpression: // Object.assign, defineProperty; Array.isArray
		object, member := memberOf(n.Callee)
		if nameOf(object) == "Array" && member == "isArray" && len(n.ArgumentList) > 0 {
			a.variables[nameOf(n.ArgumentList[0])] = true
		}
		if nameOf(object) == "Object" {
			for _, argument := range n.ArgumentList {
				if name := writtenText(argument); name != "" {
					a.members[name] = true
				}
				a.keys(argument)
			}
		}
	case *ast.MethodDefinition:
		a.methods[writtenText(n.Key)] = true
	case *ast.FieldDefinition:
		a.methods[writtenText(n.Key)] = true
	case *ast.PropertyKeyed:
		switch n.Value.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			a.methods[writtenText(n.Key)] = true
		}
	}
}

func (a *authored) assigned(to any) {
	switch to := to.(type) {
	case *ast.Identifier:
		a.variables[to.Name.String()] = true
	case *ast.DotExpression, *ast.BracketExpression:
		_, name := memberOf(to.(ast.Expression)) //nolint:forcetypeassert // both are
		a.members[name], a.methods[name] = true, true
	case *ast.ObjectPattern:
		for _, property := range to.Properties {
			target, _ := takes(property)
			a.assigned(target)
		}
		a.assigned(to.Rest)
	case *ast.ArrayPattern:
		for _, element := range to.Elements {
			a.assigned(element)
		}
		a.assigned(to.Rest)
	case *ast.AssignExpression: // it has a default
		a.assigned(to.Left)
	}
}

func (a *authored) keys(object ast.Expression) {
	literal, ok := object.(*ast.ObjectLiteral)
	if !ok {
		return
	}
	for _, property := range literal.Value {
		if _, name := takes(property); name != "" {
			a.members[name] = true
		}
	}
}

// isAskedFor reports whether a script asks whether a member is there: by ?? or ||, by typeof, or by
// comparing it with undefined or null.
func isAskedFor(node any, around []any) bool {
	for i := len(around) - 1; i >= 0; i-- {
		switch parent := around[i].(type) {
		case *ast.Optional, *ast.OptionalChain:
			node = parent
			continue
		case *ast.UnaryExpression:
			return parent.Operator == gotoken.TYPEOF
		case *ast.BinaryExpression:
			switch parent.Operator {
			case gotoken.COALESCE, gotoken.LOGICAL_OR:
				return parent.Left == node
			case gotoken.EQUAL, gotoken.NOT_EQUAL, gotoken.STRICT_EQUAL, gotoken.STRICT_NOT_EQUAL:
				return namesNothing(parent.Left) || namesNothing(parent.Right)
			}
		}
		return false
	}
	return false
}

// isTested reports whether an expression is a condition, or a part of one.
func isTested(node any, around []any) bool {
	for i := len(around) - 1; i >= 0; i-- {
		switch parent := around[i].(type) {
		case *ast.Optional, *ast.OptionalChain:
		case *ast.IfStatement:
			return parent.Test == node
		case *ast.ConditionalExpression:
			return parent.Test == node
		case *ast.UnaryExpression:
			return parent.Operator == gotoken.NOT
		case *ast.BinaryExpression:
			switch parent.Operator {
			case gotoken.LOGICAL_AND, gotoken.LOGICAL_OR:
				if parent.Left == node {
					return true
				}
			default:
				return false
			}
		default:
			return false
		}
		node = around[i]
	}
	return false
}

func namesNothing(e ast.Expression) bool {
	_, null := e.(*ast.NullLiteral)
	return null || nameOf(e) == "undefined"
}
