package realm

import (
	"slices"

	"github.com/dop251/goja/ast"
	gotoken "github.com/dop251/goja/token"
)

// judge warns of a call whose promise is not awaited.
func (l *lint) judge(node any, around []any) {
	call, ok := node.(*ast.CallExpression)
	if !ok {
		return
	}
	what, method := l.called(call)
	if what == "" {
		return
	}
	msg, many := what+" is not awaited; write await before it", method != ""
	switch method {
	case "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "some":
		l.warnings = append(l.warnings, l.at(call, what+" takes a promise for true; await first, as in const ok = await Promise.all(list.map(async …)), and use list."+what+"((_, i) => ok[i])"))
		return
	case "forEach":
		l.warnings = append(l.warnings, l.at(call, "forEach does not wait for what its function awaits; write for (const x of …) with await in it, or await Promise.all(….map(…))"))
		return
	case "map":
		msg = "map gives an array of promises here; write await Promise.all(….map(…))"
	}
	if taken := takenFirst(around); taken != "" && !many {
		msg = what + " is not awaited: the await in front takes ." + taken + " of its promise; write (await " + what + "(…))." + taken
	}
	lost, v := l.lost(call, around, many)
	switch {
	case v != nil:
		flaw := l.at(call, msg)
		v.warning, v.many = &flaw, many
	case lost:
		l.warnings = append(l.warnings, l.at(call, msg))
	}
}

// takenFirst is the member that is taken of a call before the await in front of it; empty for none.
func takenFirst(around []any) (member string) {
	for i := len(around) - 1; i >= 0; i-- {
		switch p := around[i].(type) {
		case *ast.Optional, *ast.OptionalChain:
		case *ast.CallExpression: // of the member
			if member == "" || p.Callee != around[i+1] {
				return ""
			}
		case *ast.DotExpression:
			if member == "" {
				member = p.Identifier.Name.String()
			}
		case *ast.AwaitExpression:
			return member
		default:
			return ""
		}
	}
	return ""
}

// use notes the variables that are awaited, or passed to something that may await them.
func (l *lint) use(node any, around []any) {
	id := node
	if short, ok := node.(*ast.PropertyShort); ok {
		id = &short.Name
	}
	v := l.known(id)
	if v.warning == nil {
		return
	}
	if b, ok := around[len(around)-1].(*ast.Binding); ok && b.Target == node { // its declaration is no use
		return
	}
	if lost, _ := l.lost(node, around, v.many); !lost {
		v.awaited = true
	}
}

// lost reports whether a promise, or an array of them, is used as if it were its value, or not
// at all. If it is assigned to a variable, that is v, and the uses of v decide.
func (l *lint) lost(node any, around []any, many bool) (lost bool, v *variable) {
	inside := false // of an object or an array
	for i := len(around) - 1; i >= 0; i-- {
		switch p := around[i].(type) {
		case *ast.AwaitExpression:
			return many || inside, nil
		case *ast.CallExpression:
			callee, _ := p.Callee.(*ast.DotExpression)
			return callee != nil && slices.Contains([]string{"JSON", "console"}, l.global(callee.Left)), nil
		case *ast.DotExpression:
			switch member := p.Identifier.Name.String(); {
			case inside: // a method of a list may wait for all that is in it
				return false, nil
			case many && member == "map":
				call, _ := around[max(i-1, 0)].(*ast.CallExpression)
				return call != nil && takesApart(call), nil
			case many && (member == "filter" || member == "slice" || member == "concat"), !many && (member == "then" || member == "catch" || member == "finally"):
				i-- // the call, which gives another one
				if call, ok := around[max(i, 0)].(*ast.CallExpression); ok && l.settlesWith(call) {
					return false, nil
				}
			default:
				return !many, nil
			}
		case *ast.BracketExpression:
			return p.Left == node && !many, nil
		case *ast.BinaryExpression:
			if p.Operator != gotoken.LOGICAL_AND && p.Operator != gotoken.LOGICAL_OR && p.Operator != gotoken.COALESCE {
				return true, nil
			}
		case *ast.ConditionalExpression:
			if p.Test == node {
				return true, nil
			}
		case *ast.UnaryExpression:
			return p.Operator != gotoken.VOID, nil // void says that nobody awaits it
		case *ast.ExpressionStatement, *ast.TemplateLiteral, *ast.IfStatement:
			return true, nil
		case *ast.ForOfStatement:
			return !many && !inside, nil
		case *ast.ReturnStatement, *ast.ExpressionBody:
			return l.returned(around[:i], many || inside), nil
		case *ast.ArrayLiteral, *ast.ObjectLiteral, *ast.PropertyKeyed:
			inside = true
		case *ast.Binding:
			if inside {
				return false, nil
			}
			if v = l.known(p.Target); v.name == "" { // a pattern, which takes the promise apart
				return !many, nil
			}
			return false, v
		case *ast.Optional, *ast.SpreadElement:
		default:
			return false, nil
		}
		node = around[i]
	}
	return false, nil
}

// takesApart reports whether a list is given a function that takes a member of each of its promises.
func takesApart(call *ast.CallExpression) bool {
	if len(call.ArgumentList) == 0 {
		return false
	}
	arrow, _ := call.ArgumentList[0].(*ast.ArrowFunctionLiteral)
	if arrow == nil || arrow.Async || len(arrow.ParameterList.List) == 0 {
		return false
	}
	body, _ := arrow.Body.(*ast.ExpressionBody)
	if body == nil {
		return false
	}
	object, member := memberOf(body.Expression)
	return object != nil && nameOf(object) != "" && nameOf(object) == nameOf(arrow.ParameterList.List[0].Target) && !slices.Contains([]string{"then", "catch", "finally"}, member)
}

// returned reports whether a promise that a function returns is lost: in the value of the
// entry, whose own promise is awaited, or to a forEach.
func (l *lint) returned(around []any, inside bool) bool {
	for i := len(around) - 1; i > 0; i-- {
		switch around[i].(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		default:
			continue
		}
		if around[i] == l.main {
			return inside
		}
		call, _ := around[i-1].(*ast.CallExpression)
		if call == nil {
			return false
		}
		callee, _ := call.Callee.(*ast.DotExpression)
		return callee != nil && callee.Identifier.Name == "forEach"
	}
	return false
}
