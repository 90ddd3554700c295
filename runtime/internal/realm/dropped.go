package realm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// returnsOne notes that the entry returns a value.
func (l *lint) returnsOne(node any, around []any) {
	if given, ok := node.(*ast.ReturnStatement); ok && given.Argument != nil {
		if function, _ := scopesOf(around); function == l.main {
			l.returns = true
		}
	}
}

// dropped warns of a value that the last statement of the entry makes and nobody has, where the
// entry returns none.
func (l *lint) dropped() {
	var body any
	switch f := l.main.(type) {
	case *ast.FunctionLiteral:
		body = f.Body
	case *ast.ArrowFunctionLiteral:
		body = f.Body
	}
	block, ok := body.(*ast.BlockStatement)
	if !ok || l.returns || len(block.List) == 0 {
		return
	}
	end := block.List[len(block.List)-1]
	if l.labelledIn(end) {
		l.warnings = append(l.warnings, l.at(end, "this is a block with a label, and no object, so that the tool gives null; write return before it"))
		return
	}
	last, ok := end.(*ast.ExpressionStatement)
	if ok && l.onlyGives(last.Expression) {
		l.warnings = append(l.warnings, l.at(last, "this value is dropped, and the tool gives null; write return before it"))
	}
}

// alone warns of a return whose value stands on the next line: there JavaScript ends the statement before it.
func (l *lint) alone(node any) {
	block, ok := node.(*ast.BlockStatement)
	if !ok || len(l.warnings) >= maxWarnings {
		return
	}
	for i, statement := range block.List[:max(0, len(block.List)-1)] {
		given, ok := statement.(*ast.ReturnStatement)
		if !ok || given.Argument != nil || ended.MatchString(l.text(given)) || len(l.warnings) >= maxWarnings {
			continue
		}
		switch value := block.List[i+1].(type) {
		case *ast.ExpressionStatement, *ast.BlockStatement:
			if strings.Count(l.between(given, value), "\n") == 1 {
				l.warnings = append(l.warnings, l.at(given, "this return gives nothing: its value stands on the next line; write it behind return, or open a parenthesis there"))
			}
		}
	}
}

// ended matches a return whose statement ends with it.
var ended = regexp.MustCompile(`^return[ \t]*;`)

// between is the source from one node to another.
func (l *lint) between(from, to ast.Node) string {
	text := l.text(from)
	return text[:len(text)-len(l.text(to))]
}

// labelledIn reports whether a statement is a value behind a label in a block that looks like an object.
func (l *lint) labelledIn(statement ast.Statement) bool {
	block, ok := statement.(*ast.BlockStatement)
	if !ok || len(block.List) != 1 {
		return false
	}
	labelled, ok := block.List[0].(*ast.LabelledStatement)
	if !ok {
		return false
	}
	value, ok := labelled.Statement.(*ast.ExpressionStatement)
	return ok && l.onlyGives(value.Expression)
}

// giving are methods that only make a value.
var giving = []string{"concat", "entries", "filter", "flat", "fromEntries", "join", "keys", "slice", "split", "stringify", "toReversed", "toSorted", "trim", "values"}

// onlyGives reports whether an expression does nothing but give a value.
func (l *lint) onlyGives(e ast.Expression) bool {
	switch e := bare(e).(type) {
	case *ast.Identifier, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.ObjectLiteral, *ast.ArrayLiteral:
		return true
	case *ast.TemplateLiteral:
		return e.Tag == nil
	case *ast.DotExpression:
		return l.onlyGives(e.Left)
	case *ast.BinaryExpression:
		return l.onlyGives(e.Left) && l.onlyGives(e.Right)
	case *ast.CallExpression:
		_, method := memberOf(e.Callee)
		if method != "map" {
			return slices.Contains(giving, method) && !l.own.methods[method]
		}
		if len(e.ArgumentList) == 1 {
			if each, ok := e.ArgumentList[0].(*ast.ArrowFunctionLiteral); ok {
				made, ok := each.Body.(*ast.ExpressionBody)
				return ok && l.onlyGives(made.Expression)
			}
		}
	}
	return false
}
