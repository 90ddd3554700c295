package realm

import (
	"strings"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// What takes the place of esbuild's helpers for async generators. No source can have these names.
const (
	asyncName = ownPrefix + "async" // makes an async generator of a generator
	awaitName = ownPrefix + "await" // what a generator yields to wait for
	starName  = ownPrefix + "star"  // makes an iterator of what is delegated to

	loopedName  = ownPrefix + "looped"  // the iterator of for await
	checkedName = ownPrefix + "checked" // refuses what is no object
)

const noSecondVariable = "a variable of an async generator has the name of one of its parameters; give it another name, or assign to the parameter"

// asyncHelpers are what esbuild puts into a source that has async generators, which run as
// generators there. It drops what comes behind the first await while one is left, and does not
// wait for what is returned.
type asyncHelpers struct {
	generator, waiter, star, loop unistring.String                              // their names; empty if there are none
	outer                         map[*ast.FunctionLiteral]*ast.FunctionLiteral // the functions around the bodies, by them
	taken                         map[unistring.String]unistring.String         // what the loops take of their iterators, by these
}

// find finds the helpers, and puts ours in their place.
func (a *asyncHelpers) find(tree *ast.Program, source string, from *places) {
	if !strings.Contains(source, "__asyncGenerator") && !strings.Contains(source, "__forAwait") && !strings.Contains(source, "__yieldStar") {
		return
	}
	a.taken, a.outer = map[unistring.String]unistring.String{}, map[*ast.FunctionLiteral]*ast.FunctionLiteral{}
	for _, s := range tree.Body {
		declared, ok := s.(*ast.VariableStatement)
		if !ok || len(declared.List) != 1 || declared.List[0].Initializer == nil {
			continue
		}
		b := declared.List[0]
		name, ok := b.Target.(*ast.Identifier)
		if !ok || !strings.HasPrefix(name.Name.String(), "__") || from.written(tree, b.Initializer) {
			continue
		}
		for helper, other := range map[string]struct {
			name  *unistring.String
			other string
		}{"__asyncGenerator": {&a.generator, asyncName}, "__await": {&a.waiter, awaitName}, "__yieldStar": {&a.star, starName}, "__forAwait": {&a.loop, loopedName}} {
			if strings.TrimRight(name.Name.String(), "0123456789") == helper {
				*other.name = name.Name
				b.Initializer = identifier(other.other, b.Initializer.Idx0())
			}
		}
	}
}

// written reports whether the author wrote an expression.
func (p *places) written(tree *ast.Program, e ast.Expression) bool {
	at := tree.File.Position(int(e.Idx0()) - tree.File.Base())
	_, _, _, ok := p.original(at.Line, at.Column)
	return ok
}

// call finds the body of an async generator, in a function.
func (a *asyncHelpers) call(n *ast.CallExpression, outer *ast.FunctionLiteral) {
	if !isNamed(n.Callee, a.generator) || outer == nil || len(n.ArgumentList) != 3 {
		return
	}
	if body, ok := n.ArgumentList[2].(*ast.FunctionLiteral); ok {
		a.outer[body] = outer
		at := n.LeftParenthesis
		target := &ast.MetaProperty{Meta: identifier("new", at), Property: identifier("target", at), Idx: at}
		n.ArgumentList = append(n.ArgumentList, target)
	}
}

// awaits reports whether a yield waits for something, and yields nothing.
func (a *asyncHelpers) awaits(y *ast.YieldExpression) bool {
	made, ok := y.Argument.(*ast.NewExpression)
	return ok && isNamed(made.Callee, a.waiter)
}

// check refuses what return of an iterator gives that is no object, where esbuild's loop, which was
// for await, takes it. The operators did that for what next gives.
//
//	for (var more, temp, …, iter = __forAwait(…); more = !(temp = await iter.next()).done; …) …
//	more && (temp = iter.return) && await temp.call(iter)
func (a *asyncHelpers) check(node any) bool {
	switch n := node.(type) {
	case *ast.ForStatement:
		list, ok := n.Initializer.(*ast.ForLoopInitializerVarDeclList)
		if !ok || len(list.List) < 3 {
			return false
		}
		last := list.List[len(list.List)-1]
		made, ok := last.Initializer.(*ast.CallExpression)
		if !ok || !isNamed(made.Callee, a.loop) {
			return false
		}
		iter, temp := last.Target.(*ast.Identifier), list.List[1].Target.(*ast.Identifier)
		a.taken[iter.Name] = temp.Name
		return true
	case *ast.BinaryExpression:
		before, ok := n.Left.(*ast.BinaryExpression)
		if !ok || n.Operator != operators.LOGICAL_AND {
			return false
		}
		if e, ok := before.Right.(*ast.AssignExpression); ok {
			if dot, ok := e.Right.(*ast.DotExpression); ok && dot.Identifier.Name == "return" {
				if iter, ok := dot.Left.(*ast.Identifier); ok && isNamed(e.Left, a.taken[iter.Name]) {
					n.Right = callOf(checkedName, n.Right.Idx0(), n.Right)
				}
			}
		}
	}
	return false
}

// plain is what a generator delegates to. esbuild takes that of every generator for one of an
// async generator.
func (a *asyncHelpers) plain(e ast.Expression) ast.Expression {
	if call, ok := e.(*ast.CallExpression); ok && isNamed(call.Callee, a.star) && len(call.ArgumentList) == 1 {
		return call.ArgumentList[0]
	}
	return e
}

// await waits for a value.
func (a *asyncHelpers) await(e ast.Expression) ast.Expression {
	at := e.Idx0()
	return &ast.YieldExpression{Yield: at, Argument: &ast.NewExpression{
		New: at, Callee: identifier(awaitName, at), LeftParenthesis: at, ArgumentList: []ast.Expression{e}, RightParenthesis: at,
	}}
}

// params refuses variables that would hide a parameter, since the body is another function.
func (a *asyncHelpers) params(body *ast.FunctionLiteral) error {
	names := parameters(a.outer[body])
	for _, declared := range body.DeclarationList {
		for _, b := range declared.List {
			if name, ok := b.Target.(*ast.Identifier); ok && names[name.Name] {
				return &generatorError{int(name.Idx), noSecondVariable}
			}
		}
	}
	return nil
}

func isNamed(e ast.Expression, name unistring.String) bool {
	id, ok := e.(*ast.Identifier)
	return ok && name != "" && id.Name == name
}
