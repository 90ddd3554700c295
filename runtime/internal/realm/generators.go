package realm

import (
	"errors"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	operators "github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// What lowered generators call. No source can have these names.
const (
	yieldName    = ownPrefix + "yield"    // makes an iterator of one value
	delegateName = ownPrefix + "delegate" // makes an iterator of another
	passName     = ownPrefix + "pass"     // throws a leave on, and gives back all else
	leaveName    = ownPrefix + "leave"    // gives back a leave, and throws all else on
	finishName   = ownPrefix + "finish"   // is the value of a leave, and throws all else on
	caughtName   = ownPrefix + "caught"   // the variable of a catch
	loopName     = ownPrefix + "loop"     // the variable of a loop
)

// generatorError is a generator that cannot be lowered. Idx is its place, as that of [orderError].
type generatorError struct {
	Idx int
	Msg string
}

func (e *generatorError) Error() string { return e.Msg }

const noYieldHere = "yield in an array pattern, in a generator with try; write the pattern and the yield as two statements"

// generators lowers those that the engine gets wrong when they are left early, by break or
// return(). There a leave is thrown, at the yield, which every catch throws on: the engine has
// exceptions right.
type generators struct {
	stack []*generator // the functions around, outermost first
	parts map[any]span // what is below, whose yields matter
	slots map[*ast.ForOfStatement]*ast.Statement
	async asyncHelpers
	used  bool
	err   error
}

// generator is one function, as far as it was read. Of others than generators only the literal is
// known; arrow functions have none.
type generator struct {
	literal  *ast.FunctionLiteral
	async    bool // it is the body of an async generator
	wanted   bool // it has to be lowered
	yields   int  // so far
	closers  int  // loops and patterns so far that hold an iterator at a yield
	all      []*ast.YieldExpression
	catches  []*ast.CatchStatement
	loops    []*ast.ForOfStatement
	returned []*ast.ReturnStatement
	pattern  ast.Node // the first array pattern that has a yield
}

// span is a part of a statement. Once it was read, done gets how many yields and closers it has.
type span struct {
	yields, closers int
	done            func(g *generator, yields, closers int)
}

// lowerGenerators lowers those of a program, and reports whether there are such, and async ones.
func lowerGenerators(tree *ast.Program, source string, from *places) (used, async bool, _ error) {
	l := &generators{parts: map[any]span{}, slots: map[*ast.ForOfStatement]*ast.Statement{}}
	if from != nil {
		l.async.find(tree, source, from)
	}
	if l.async.taken == nil && !(strings.Contains(source, "try") && strings.Contains(source, "yield")) {
		return false, false, nil
	}
	syntax.Each(tree, l.enter, l.leave)
	return l.used, l.async.taken != nil, l.err
}

// top is the generator that a node is in; nil if it is in none.
func (l *generators) top() *generator {
	if len(l.stack) == 0 {
		return nil
	}
	if g := l.stack[len(l.stack)-1]; g.literal != nil && g.literal.Generator {
		return g
	}
	return nil
}

func (l *generators) enter(node any) {
	l.fill(node)
	if l.async.taken != nil && l.async.check(node) {
		l.used = true
	}
	switch n := node.(type) {
	case *ast.FunctionLiteral:
		_, async := l.async.outer[n]
		l.stack = append(l.stack, &generator{literal: n, async: async})
	case *ast.ArrowFunctionLiteral:
		l.stack = append(l.stack, &generator{})
	case *ast.CallExpression:
		if len(l.stack) > 0 {
			l.async.call(n, l.stack[len(l.stack)-1].literal)
		}
	}
	g := l.top()
	if g == nil {
		return
	}
	if p, ok := l.parts[node]; ok {
		p.yields, p.closers = g.yields, g.closers
		l.parts[node] = p
	}
	switch n := node.(type) {
	case *ast.YieldExpression:
		if n.Delegate && !g.async {
			n.Argument = l.async.plain(n.Argument)
		}
		if !l.async.awaits(n) {
			g.yields++
			g.all = append(g.all, n)
		}
	case *ast.ReturnStatement:
		if g.async && n.Argument != nil {
			g.returned = append(g.returned, n)
		}
	case *ast.TryStatement:
		l.parts[n.Body] = span{done: func(g *generator, yields, closers int) {
			g.wanted = g.wanted || yields > 0 && n.Finally != nil || closers > 0
			if yields > 0 && n.Catch != nil {
				g.catches = append(g.catches, n.Catch)
			}
		}}
	case *ast.ForOfStatement:
		l.parts[n.Body] = span{done: func(g *generator, yields, _ int) {
			if yields > 0 {
				g.closers++
				g.loops = append(g.loops, n)
			}
		}}
		l.pattern(n.Into)
	case *ast.ArrayPattern:
		l.pattern(n)
	}
}

// pattern is one during which an iterator is held.
func (l *generators) pattern(n ast.Node) {
	if _, ok := l.parts[n]; ok {
		return
	}
	p := span{done: func(g *generator, yields, _ int) {
		if yields > 0 {
			g.closers++
			g.pattern = n
		}
	}}
	if g := l.top(); g != nil {
		p.yields, p.closers = g.yields, g.closers
	}
	l.parts[n] = p
}

func (l *generators) leave(node any) {
	g := l.top()
	if p, ok := l.parts[node]; ok && g != nil {
		p.done(g, g.yields-p.yields, g.closers-p.closers)
		delete(l.parts, node)
	}
	switch n := node.(type) {
	case *ast.FunctionLiteral:
		l.stack = l.stack[:len(l.stack)-1]
		if g != nil && (g.wanted || g.async) {
			l.lower(n, g)
		}
	case *ast.ArrowFunctionLiteral:
		l.stack = l.stack[:len(l.stack)-1]
	}
}

// lower writes a generator anew.
func (l *generators) lower(f *ast.FunctionLiteral, g *generator) {
	l.used = true
	if g.pattern != nil && l.err == nil {
		l.err = &generatorError{int(g.pattern.Idx0()), noYieldHere}
	}
	for _, loop := range g.loops {
		l.leaveLoop(loop)
	}
	for _, c := range g.catches {
		passCatch(c)
	}
	if g.async {
		for _, r := range g.returned {
			r.Argument = l.async.await(r.Argument)
		}
		if l.err == nil {
			l.err = l.async.params(f)
		}
		return
	}
	for _, y := range g.all {
		name := yieldName
		if y.Delegate {
			name = delegateName
		}
		var arguments []ast.Expression
		if y.Argument != nil {
			arguments = []ast.Expression{y.Argument}
		}
		y.Argument, y.Delegate = callOf(name, y.Yield, arguments...), true
	}
	if err := finish(f); err != nil && l.err == nil {
		l.err = err
	}
}

// leaveLoop makes a leave a break of a loop, so that what the iterator throws at it is kept:
//
//	{ let loop; for (… of …) try { … } catch (caught) { loop = leave(caught); break } if (loop) throw loop }
func (l *generators) leaveLoop(n *ast.ForOfStatement) {
	at := n.For
	keep := &ast.AssignExpression{Operator: operators.ASSIGN, Left: identifier(loopName, at), Right: callOf(leaveName, at, identifier(caughtName, at))}
	n.Body = block(at, &ast.TryStatement{Try: at, Body: block(at, n.Body), Catch: &ast.CatchStatement{
		Catch: at, Parameter: identifier(caughtName, at),
		Body: block(at, &ast.ExpressionStatement{Expression: keep}, &ast.BranchStatement{Idx: at, Token: operators.BREAK}),
	}})
	slot := l.slots[n]
	*slot = block(at,
		&ast.LexicalDeclaration{Idx: at, Token: operators.LET, List: []*ast.Binding{{Target: identifier(loopName, at)}}},
		*slot,
		&ast.IfStatement{If: at, Test: identifier(loopName, at), Consequent: &ast.ThrowStatement{Throw: at, Argument: identifier(loopName, at)}},
	)
}

// passCatch makes a catch throw a leave on.
func passCatch(c *ast.CatchStatement) {
	at := c.Body.LeftBrace
	var first ast.Statement
	switch name := c.Parameter.(type) {
	case *ast.Identifier:
		first = &ast.ExpressionStatement{Expression: callOf(passName, at, &ast.Identifier{Name: name.Name, Idx: at})}
	case nil:
		c.Parameter = identifier(caughtName, at)
		first = &ast.ExpressionStatement{Expression: callOf(passName, at, identifier(caughtName, at))}
	default:
		pattern := &ast.Binding{Target: name, Initializer: callOf(passName, at, identifier(caughtName, at))}
		first = &ast.LexicalDeclaration{Idx: name.Idx0(), Token: operators.LET, List: []*ast.Binding{pattern}}
		c.Parameter = identifier(caughtName, at)
	}
	c.Body.List = append([]ast.Statement{first}, c.Body.List...)
}

// finish makes a leave the end of a generator: try { … } catch (caught) { return finish(caught) }.
func finish(f *ast.FunctionLiteral) error {
	at, list := f.Body.LeftBrace, f.Body.List
	directives := 0
	for directives < len(list) && isDirective(list[directives]) {
		directives++
	}
	if err := declaredTwice(f, list); err != nil {
		return err
	}
	body := block(at, oneEach(f, list[directives:])...)
	body.RightBrace = f.Body.RightBrace
	f.Body.List = slices.Concat(list[:directives], []ast.Statement{&ast.TryStatement{Try: at, Body: body, Catch: &ast.CatchStatement{
		Catch: at, Parameter: identifier(caughtName, at),
		Body: block(at, &ast.ReturnStatement{Return: at, Argument: callOf(finishName, at, identifier(caughtName, at))}),
	}}})
	return nil
}

// isDirective reports whether a statement is a text alone, as "use strict" is.
func isDirective(s ast.Statement) bool {
	expression, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = expression.Expression.(*ast.StringLiteral)
	return ok
}

// declaredTwice finds a name of a function's parameters that its body declares as well. In a
// block it would be another variable.
func declaredTwice(f *ast.FunctionLiteral, list []ast.Statement) error {
	names := parameters(f)
	declares := func(target ast.Node) (err error) {
		syntax.Each(target, func(node any) {
			if name, ok := node.(*ast.Identifier); ok && names[name.Name] && err == nil {
				err = &generatorError{int(name.Idx), "Identifier '" + name.Name.String() + "' has already been declared"}
			}
		}, nil)
		return err
	}
	for _, s := range list {
		var err error
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			for _, b := range s.List {
				err = errors.Join(err, declares(b.Target))
			}
		case *ast.ClassDeclaration:
			err = declares(s.Class.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parameters are the names in the parameters of a function, and perhaps of what they use.
func parameters(f *ast.FunctionLiteral) map[unistring.String]bool {
	names := map[unistring.String]bool{}
	syntax.Each(f.ParameterList, func(node any) {
		if name, ok := node.(*ast.Identifier); ok {
			names[name.Name] = true
		}
	}, nil)
	return names
}

// fill notes where the loops of a node are, below their labels.
func (l *generators) fill(node any) {
	each := func(slots ...*ast.Statement) {
		for _, slot := range slots {
			inner := *slot
			for {
				label, ok := inner.(*ast.LabelledStatement)
				if !ok {
					break
				}
				inner = label.Statement
			}
			if loop, ok := inner.(*ast.ForOfStatement); ok {
				l.slots[loop] = slot
			}
		}
	}
	list := func(statements []ast.Statement) {
		for i := range statements {
			each(&statements[i])
		}
	}
	switch n := node.(type) {
	case *ast.BlockStatement:
		list(n.List)
	case *ast.CaseStatement:
		list(n.Consequent)
	case *ast.IfStatement:
		each(&n.Consequent, &n.Alternate)
	case *ast.ForStatement:
		each(&n.Body)
	case *ast.ForInStatement:
		each(&n.Body)
	case *ast.ForOfStatement:
		each(&n.Body)
	case *ast.WhileStatement:
		each(&n.Body)
	case *ast.DoWhileStatement:
		each(&n.Body)
	case *ast.WithStatement:
		each(&n.Body)
	}
}

func identifier(name string, at file.Idx) *ast.Identifier {
	return &ast.Identifier{Name: unistring.NewFromString(name), Idx: at}
}

func callOf(name string, at file.Idx, arguments ...ast.Expression) ast.Expression {
	return &ast.CallExpression{Callee: identifier(name, at), LeftParenthesis: at, ArgumentList: arguments, RightParenthesis: at}
}

func block(at file.Idx, list ...ast.Statement) *ast.BlockStatement {
	return &ast.BlockStatement{LeftBrace: at, List: list, RightBrace: at}
}
