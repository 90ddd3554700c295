package realm

import (
	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// settlesWith reports whether a call of then, catch or finally settles another promise with what
// it hears: by a parameter of the function that new Promise takes, or by what
// Promise.withResolvers gave. Whoever awaits that promise awaits the call too.
func (l *lint) settlesWith(call *ast.CallExpression) (found bool) {
	for _, argument := range call.ArgumentList {
		syntax.Each(argument, func(node any) {
			switch n := node.(type) {
			case *ast.Identifier:
				v := l.known(n)
				found = found || v.settles || isSettler(v.part) && l.resolvers(v.from)
			case *ast.DotExpression:
				found = found || isSettler(n.Identifier.Name.String()) && l.resolvers(l.known(n.Left).value)
			}
		}, nil)
	}
	return found
}

func isSettler(name string) bool { return name == "resolve" || name == "reject" }

// resolvers reports whether an expression is Promise.withResolvers().
func (l *lint) resolvers(e ast.Expression) bool {
	call, ok := e.(*ast.CallExpression)
	if !ok {
		return false
	}
	object, member := memberOf(call.Callee)
	return member == "withResolvers" && l.global(object) == "Promise"
}

// isExecutor reports whether the function whose parameters are the innermost of around is what
// new Promise takes.
func isExecutor(around []any) bool {
	if len(around) < 3 {
		return false
	}
	made, ok := around[len(around)-3].(*ast.NewExpression)
	return ok && nameOf(made.Callee) == "Promise" && len(made.ArgumentList) > 0 && any(made.ArgumentList[0]) == around[len(around)-2]
}
