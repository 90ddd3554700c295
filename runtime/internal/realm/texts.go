package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// textHelpers are the parts of ctx that give a text.
var textHelpers = strings.Fields("readFile ls glob grep search bm25 bash")

// ofNoText are members that results and lists have, and texts have not.
var ofNoText = strings.Fields("data metadata output text exitCode truncated stdout stderr map filter forEach some every find findIndex findLast reduce sort reverse join push flat flatMap entries keys values")

// texts warns where the text that a helper gives is taken for a result, or for a list: in
// JavaScript both give undefined, or the letters of the text.
func (l *lint) texts(node any) {
	eachMember(node, func(of ast.Expression, at ast.Node, name string) {
		if slices.Contains(ofNoText, name) && !l.own.members[name] {
			l.textTaken(of, at, name)
		}
	})
	eachApart(node, func(of ast.Expression, at ast.Node) {
		if _, one := at.(*ast.BracketExpression); !one || l.textOf(of) != "bash" { // whose first letter may be a status
			l.lettersOf(of, at)
		}
	})
}

// eachApart calls f with what a node takes apart as a list.
func eachApart(node any, f func(of ast.Expression, at ast.Node)) {
	switch n := node.(type) {
	case *ast.ForOfStatement:
		f(n.Source, n.Source)
	case *ast.Binding:
		if pattern, ok := n.Target.(*ast.ArrayPattern); ok && n.Initializer != nil {
			f(n.Initializer, pattern)
		}
	case *ast.CallExpression:
		if object, member := memberOf(n.Callee); nameOf(object) == "Array" && member == "from" && len(n.ArgumentList) > 0 {
			f(n.ArgumentList[0], n)
		}
	case *ast.BracketExpression:
		if _, number := n.Member.(*ast.NumberLiteral); number {
			f(n.Left, n)
		}
	case *ast.ArrayLiteral:
		for _, element := range n.Value {
			if all, ok := element.(*ast.SpreadElement); ok {
				f(all.Expression, all)
			}
		}
	}
}

// lettersOf warns where the text that a helper gives is taken apart, letter by letter.
func (l *lint) lettersOf(of ast.Expression, at ast.Node) {
	if helper := l.textOf(of); helper != "" && helper != "readFile" {
		l.warnings = append(l.warnings, l.at(at, "this takes a text letter by letter: ctx."+helper+" gives one, with an entry a line; "+inEntries(helper)))
	}
}

// eachMember calls f with each member that a node takes of a value, by a dot or by a pattern.
func eachMember(node any, f func(of ast.Expression, at ast.Node, name string)) {
	switch n := node.(type) {
	case *ast.DotExpression:
		f(n.Left, n, n.Identifier.Name.String())
	case *ast.BracketExpression:
		f(n.Left, n, writtenText(n.Member))
	case *ast.Binding:
		pattern, ok := n.Target.(*ast.ObjectPattern)
		if !ok || n.Initializer == nil {
			return
		}
		for _, property := range pattern.Properties {
			if _, name := takes(property); name != "" {
				f(n.Initializer, property, name)
			}
		}
	}
}

// textTaken warns of a member that the text of a helper has not.
func (l *lint) textTaken(of ast.Expression, at ast.Node, name string) {
	if helper := l.textOf(of); helper != "" && len(l.warnings) < maxWarnings {
		l.warnings = append(l.warnings, l.at(at, "ctx."+helper+" gives a text, which has no "+name+"; "+inEntries(helper)))
	}
}

func inEntries(helper string) string {
	switch helper {
	case "bash":
		return `ctx.shell.run("ls") gives {stdout, stderr, exitCode}; .split("\n") gives lines`
	case "readFile":
		return `.split("\n") gives its lines`
	case "search", "bm25":
		helper = "search"
	}
	return `the data of ctx.tool("` + helper + `", …) has the entries; .split("\n") gives lines`
}

// mostNames is how many constants in a row are looked through: x, of const x = y, of const y = ….
const mostNames = 8

// textOf is the helper whose text an expression is: await of its call, or a constant with that.
func (l *lint) textOf(e ast.Expression) string {
	call := l.awaitedCall(e)
	if call == nil {
		return ""
	}
	name := l.partOf(call.Callee)
	if object, member := memberOf(call.Callee); name == "" && l.known(object).ctx {
		name = member
	}
	if !slices.Contains(textHelpers, name) {
		return ""
	}
	return name
}

// awaitedCall is the call whose awaited value an expression is, at once or as a constant; nil if
// it is another value.
func (l *lint) awaitedCall(e ast.Expression) *ast.CallExpression {
	e = bare(e)
	for range mostNames {
		v := l.known(e)
		if l.own.variables[v.name] && v.fixed { // its type is asked for
			return nil
		}
		if v.value == nil || !v.fixed && l.own.variables[v.name] {
			break
		}
		e = bare(v.value)
	}
	awaited, ok := e.(*ast.AwaitExpression)
	if !ok {
		return nil
	}
	call, _ := bare(awaited.Argument).(*ast.CallExpression)
	return call
}
