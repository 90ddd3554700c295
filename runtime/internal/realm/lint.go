package realm

import (
	"cmp"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// lint finds promises that nobody awaits, names that nothing declares, calls that are not
// granted, and a value that the entry does not return. It knows the calls of ctx and the async
// functions of the source. It follows variables, but not the values that they are assigned
// later, so it can miss a mistake.
type lint struct {
	scopes
	own      authored
	warnings []Flaw
	returns  bool                  // the entry returns a value somewhere
	takes    map[string][]string   // the names of arguments, by tool
	needs    map[string][][]string // the arguments that a tool needs, each with its other names
	at       func(ast.Node, string) Flaw
	text     func(ast.Node) string // the source from a node on
}

// NotGranted begins the warning of a call of a tool that is not granted; its name and a comma follow.
const NotGranted = "this calls the tool "

// maxWarnings bounds the warnings of a source.
const maxWarnings = 50

// warn returns the warnings of a program. offset is what was put before the source.
func (c Checked) warn(original string, tree *ast.Program, offset int, ask wire.Check) []Flaw {
	l := &lint{
		own:    newAuthored(),
		takes:  ask.Arguments,
		needs:  ask.Required,
		scopes: scopes{declared: map[any][]*variable{}, visible: map[string][]*variable{}},
		text:   func(n ast.Node) string { return original[min(max(0, int(n.Idx0())-1-offset), len(original)):] },
		at:     func(n ast.Node, msg string) Flaw { return flawAt(original, int(n.Idx0())-1-offset, msg) },
	}
	l.each(tree, func(node any, around []any) {
		l.declare(c.Entry, node, around)
		l.own.note(node, around)
	})
	if !ask.Warn {
		l.each(tree, l.shapes)
		return l.sorted()
	}
	l.each(tree, l.judge)
	l.each(tree, l.use)
	l.each(tree, l.returnsOne)
	l.undeclared(tree, c)
	l.dropped()
	l.each(tree, l.members)
	l.each(tree, func(node any, around []any) {
		l.shapes(node, around)
		at, ok := node.(ast.Node)
		switch node.(type) {
		case *ast.Optional, *ast.OptionalChain: // what is in them comes by itself
			return
		}
		if !ok {
			return
		}
		call, ok := node.(*ast.CallExpression)
		if ok {
			l.arguments(call)
		}
		if ok && l.global(call.Callee) == "require" {
			l.warnings = append(l.warnings, l.at(at, `there is no require; a tool file loads files and packages of its folder with import x from "./x.js", import x from "package"; of Node it has a few modules, as import path from "node:path"`))
		}
		tool := l.toolOf(node)
		if tool == "" {
			tool = l.toolTaken(node, around)
		}
		if tool != "" && !slices.Contains(ask.Granted, tool) {
			l.warnings = append(l.warnings, l.at(at, NotGranted+tool+", which allowed_tools does not have"))
		}
	})
	for _, variables := range l.declared {
		for _, v := range variables {
			if v.warning != nil && !v.awaited {
				l.warnings = append(l.warnings, *v.warning)
			}
		}
	}
	return l.sorted()
}

// shapes warns where a value is taken for another: a text for a list, a result for its data.
func (l *lint) shapes(node any, _ []any) {
	l.texts(node)
	l.results(node)
	l.mapped(node)
	l.alone(node)
}

func (l *lint) sorted() []Flaw {
	slices.SortFunc(l.warnings, func(a, b Flaw) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return l.warnings[:min(len(l.warnings), maxWarnings)]
}

func isAsync(e ast.Expression) bool {
	switch f := e.(type) {
	case *ast.FunctionLiteral:
		return f.Async
	case *ast.ArrowFunctionLiteral:
		return f.Async
	}
	return false
}

// returnsPromise reports whether a member of ctx, or of Promise, returns a promise.
func (l *lint) returnsPromise(object ast.Expression, member string) bool {
	if l.known(object).ctx {
		return partNamed(member).promises
	}
	return l.global(object) == "Promise" && slices.Contains([]string{"all", "allSettled", "any", "race"}, member)
}

// toolOf is the host tool that a part of ctx, or a call of ctx.tool, calls; empty if it calls
// none that is known.
func (l *lint) toolOf(node any) string {
	if call, ok := node.(*ast.CallExpression); ok && len(call.ArgumentList) > 0 {
		if object, member := memberOf(call.Callee); member == "tool" && l.known(object).ctx || l.partOf(call.Callee) == "tool" {
			return writtenText(call.ArgumentList[0])
		}
	}
	e, ok := node.(ast.Expression)
	if !ok {
		return ""
	}
	object, member := memberOf(e)
	if inner, name := memberOf(object); name == "tools" && l.known(inner).ctx || l.partOf(object) == "tools" {
		return member
	}
	if !l.known(object).ctx {
		return ""
	}
	return partNamed(member).tool
}

// toolTaken is the host tool that a property of a pattern calls, which takes ctx apart; empty for none.
func (l *lint) toolTaken(node any, around []any) string {
	_, name := takes(node)
	if name == "" || len(around) < 3 {
		return ""
	}
	declared, _ := around[len(around)-2].(*ast.Binding)
	if declared == nil || declared.Target != around[len(around)-1] {
		return ""
	}
	parameters, _ := around[len(around)-3].(*ast.ParameterList)
	if first := parameters != nil && parameters.List[0] == declared && around[len(around)-4] == l.main; first || l.known(declared.Initializer).ctx {
		return partNamed(name).tool
	}
	return ""
}

// partOf is the name of the property of ctx that a variable holds; empty for any other expression.
func (l *lint) partOf(e ast.Expression) string {
	if v := l.known(bare(e)); v.part != "" && (v.from == nil || l.known(v.from).ctx) {
		return v.part
	}
	return ""
}

// memberOf is the object and the name in object.name and object["name"], also after a ?.; nil
// for any other expression.
func memberOf(e ast.Expression) (object ast.Expression, name string) {
	switch e := bare(e).(type) {
	case *ast.DotExpression:
		return bare(e.Left), e.Identifier.Name.String()
	case *ast.BracketExpression:
		return bare(e.Left), writtenText(e.Member)
	}
	return nil, ""
}

// bare is an expression without the marks of a ?. around it.
func bare(e ast.Expression) ast.Expression {
	for {
		switch mark := e.(type) {
		case *ast.Optional:
			e = mark.Expression
		case *ast.OptionalChain:
			e = mark.Expression
		default:
			return e
		}
	}
}

// writtenText is a text that stands in the source; empty if an expression is none.
func writtenText(e ast.Expression) string {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return e.Value.String()
	case *ast.TemplateLiteral:
		if e.Tag == nil && len(e.Expressions) == 0 && len(e.Elements) == 1 {
			return e.Elements[0].Parsed.String()
		}
	}
	return ""
}

// withFunctions are methods of arrays that do not wait for the function that they are given.
var withFunctions = []string{"every", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "map", "some"}

// called names a call that returns a promise, or that gives a method of an array, method, a function
// which returns one; what is empty for any other call.
func (l *lint) called(call *ast.CallExpression) (what, method string) {
	switch callee := call.Callee.(type) {
	case *ast.Identifier:
		if l.known(callee).async || partNamed(l.partOf(callee)).promises {
			return callee.Name.String(), ""
		}
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		if isAsync(callee) {
			return "this async function", ""
		}
	case *ast.DotExpression:
		member := callee.Identifier.Name.String()
		switch inner, _ := callee.Left.(*ast.DotExpression); {
		case l.partOf(callee.Left) == "tools", l.partOf(callee.Left) == "shell" && member == "run":
			return nameOf(callee.Left) + "." + member, ""
		case l.returnsPromise(callee.Left, member):
			return nameOf(callee.Left) + "." + member, ""
		case inner != nil && l.known(inner.Left).ctx && (inner.Identifier.Name == "tools" || inner.Identifier.Name == "shell" && member == "run"):
			return nameOf(inner.Left) + "." + inner.Identifier.Name.String() + "." + member, ""
		case slices.Contains(withFunctions, member) && !l.own.methods[member] && len(call.ArgumentList) > 0 && l.promising(call.ArgumentList[0]):
			return member, member
		}
	}
	return "", ""
}

// promising reports whether a function returns a promise.
func (l *lint) promising(f ast.Expression) bool {
	if arrow, ok := f.(*ast.ArrowFunctionLiteral); ok && !arrow.Async {
		body, _ := arrow.Body.(*ast.ExpressionBody)
		if body == nil {
			return false
		}
		call, _ := body.Expression.(*ast.CallExpression)
		if call == nil {
			return false
		}
		what, method := l.called(call)
		return what != "" && method == ""
	}
	return isAsync(f) || l.known(f).async
}
