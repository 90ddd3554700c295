package realm

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	gotoken "github.com/dop251/goja/token"
)

// lint finds promises that nobody awaits, and calls that are not granted. It knows the calls of ctx, and what is declared as
// async; it follows names, not values, and says nothing where it is not sure.
type lint struct {
	ctx, async map[string]bool
	entry      string
	warnings   []Flaw
	at         func(ast.Node, string) Flaw
	names      map[string]Flaw // warnings that hold if no use of a variable awaits it
	many       map[string]bool // variables that are arrays of promises
	awaited    map[string]bool
}

// maxWarnings bounds the warnings of a source.
const maxWarnings = 50

// warn returns the warnings of a program. offset is what was put before the source.
func (c Checked) warn(original string, tree *ast.Program, offset int, granted []string) []Flaw {
	l := &lint{
		ctx: map[string]bool{"ctx": true}, async: map[string]bool{}, entry: c.Entry,
		names: map[string]Flaw{}, many: map[string]bool{}, awaited: map[string]bool{},
		at: func(n ast.Node, msg string) Flaw { return flawAt(original, int(n.Idx0())-1-offset, msg) },
	}
	l.each(tree, l.declared)
	l.each(tree, l.judge)
	l.each(tree, l.use)
	l.each(tree, func(node any, _ []any) {
		dot, ok := node.(*ast.DotExpression)
		if tool := l.toolOf(dot); ok && tool != "" && !slices.Contains(granted, tool) {
			l.warnings = append(l.warnings, l.at(dot, "this calls the tool "+tool+", which allowed_tools does not have"))
		}
	})
	for name, flaw := range l.names {
		if !l.awaited[name] {
			l.warnings = append(l.warnings, flaw)
		}
	}
	slices.SortFunc(l.warnings, func(a, b Flaw) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return l.warnings[:min(len(l.warnings), maxWarnings)]
}

// each visits every node, with those around it, the outermost first.
func (l *lint) each(tree *ast.Program, visit func(node any, around []any)) {
	var walk func(v reflect.Value, around []any)
	walk = func(v reflect.Value, around []any) {
		switch v.Kind() {
		case reflect.Interface:
			walk(v.Elem(), around)
		case reflect.Pointer:
			if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
				return
			}
			visit(v.Interface(), around)
			walk(v.Elem(), append(around, v.Interface()))
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), around)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
					walk(v.Field(i), around)
				}
			}
		}
	}
	walk(reflect.ValueOf(tree), nil)
}

// declared notes the names of async functions, and the entry's name for ctx.
func (l *lint) declared(node any, _ []any) {
	name, value := "", ast.Expression(nil)
	switch n := node.(type) {
	case *ast.FunctionDeclaration:
		name, value = n.Function.Name.Name.String(), n.Function
	case *ast.Binding:
		name, value = nameOf(n.Target), n.Initializer
	}
	switch {
	case name == "":
	case name != l.entry:
		l.async[name] = l.async[name] || isAsync(value)
	default:
		var parameters *ast.ParameterList
		switch f := value.(type) {
		case *ast.FunctionLiteral:
			parameters = f.ParameterList
		case *ast.ArrowFunctionLiteral:
			parameters = f.ParameterList
		}
		if parameters != nil && len(parameters.List) > 0 {
			l.ctx[nameOf(parameters.List[0].Target)] = true
		}
	}
}

func nameOf(e ast.Expression) string {
	if id, ok := e.(*ast.Identifier); ok {
		return id.Name.String()
	}
	return ""
}

func isAsync(e ast.Expression) bool {
	switch f := e.(type) {
	case *ast.FunctionLiteral:
		return f.Async && !f.Generator
	case *ast.ArrowFunctionLiteral:
		return f.Async
	}
	return false
}

// returnsPromise knows the parts of ctx, and the functions of Promise, that return one.
func returnsPromise(object, member string) bool {
	if object == "Promise" {
		return member == "all" || member == "allSettled" || member == "any" || member == "race"
	}
	switch member {
	case "tool", "read", "readFile", "write", "edit", "ls", "glob", "grep", "search", "bm25", "bash", "git", "webSearch", "verify", "approve":
		return true
	}
	return false
}

// toolOf is the host tool that a part of ctx calls; empty if it calls none that is known.
func (l *lint) toolOf(dot *ast.DotExpression) string {
	if dot == nil {
		return ""
	}
	member := dot.Identifier.Name.String()
	if inner, ok := dot.Left.(*ast.DotExpression); ok && l.ctx[nameOf(inner.Left)] && inner.Identifier.Name == "tools" {
		return member
	}
	if !l.ctx[nameOf(dot.Left)] {
		return ""
	}
	switch member {
	case "read", "write", "edit", "ls", "glob", "grep", "search", "bash", "git":
		return member
	case "readFile":
		return "read"
	case "bm25":
		return "search"
	case "webSearch":
		return "web_search"
	case "shell", "verify":
		return "bash"
	}
	return ""
}

// called says what a call returns a promise of, or an array of promises; empty if neither.
func (l *lint) called(call *ast.CallExpression) (what string, many bool) {
	switch callee := call.Callee.(type) {
	case *ast.Identifier:
		if l.async[callee.Name.String()] {
			return callee.Name.String(), false
		}
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		if isAsync(callee) {
			return "this async function", false
		}
	case *ast.DotExpression:
		member, object := callee.Identifier.Name.String(), nameOf(callee.Left)
		switch inner, _ := callee.Left.(*ast.DotExpression); {
		case (l.ctx[object] || object == "Promise") && returnsPromise(object, member):
			return object + "." + member, false
		case inner != nil && l.ctx[nameOf(inner.Left)] && (inner.Identifier.Name == "tools" || inner.Identifier.Name == "shell" && member == "run"):
			return nameOf(inner.Left) + "." + inner.Identifier.Name.String() + "." + member, false
		case (member == "map" || member == "forEach") && len(call.ArgumentList) > 0 && l.promising(call.ArgumentList[0]):
			return member, true
		}
	}
	return "", false
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
		what, many := l.called(call)
		return what != "" && !many
	}
	return isAsync(f) || l.async[nameOf(f)]
}

// judge warns of a call whose promise is not awaited.
func (l *lint) judge(node any, around []any) {
	call, ok := node.(*ast.CallExpression)
	if !ok {
		return
	}
	what, many := l.called(call)
	if what == "" {
		return
	}
	msg := what + " is not awaited; write await before it"
	switch what {
	case "forEach":
		l.warnings = append(l.warnings, l.at(call, "forEach does not wait for what its function awaits; write for (const x of …) with await in it, or await Promise.all(….map(…))"))
		return
	case "map":
		msg = "map gives an array of promises here; write await Promise.all(….map(…))"
	}
	lost, variable := l.lost(call, around, many)
	switch {
	case variable != "":
		l.names[variable], l.many[variable] = l.at(call, msg), many
	case lost:
		l.warnings = append(l.warnings, l.at(call, msg))
	}
}

// use notes the variables that something awaits, or that are given to something else.
func (l *lint) use(node any, around []any) {
	name := ""
	switch n := node.(type) {
	case *ast.Identifier:
		name = n.Name.String()
	case *ast.PropertyShort:
		name = n.Name.Name.String()
	}
	if _, known := l.names[name]; !known {
		return
	}
	switch p := around[len(around)-1].(type) { // a target is no use
	case *ast.Binding:
		if p.Target == node {
			return
		}
	case *ast.AssignExpression:
		if p.Left == node {
			return
		}
	}
	if lost, _ := l.lost(node, around, l.many[name]); !lost {
		l.awaited[name] = true
	}
}

// lost reports whether a promise, or an array of them, is used as if it were its value, or not
// at all. variable is the name that it is given, which decides instead.
func (l *lint) lost(node any, around []any, many bool) (lost bool, variable string) {
	inside := false // of an object or an array
	for i := len(around) - 1; i >= 0; i-- {
		switch p := around[i].(type) {
		case *ast.AwaitExpression:
			return many || inside, ""
		case *ast.CallExpression:
			callee, _ := p.Callee.(*ast.DotExpression)
			return p.Callee != node && callee != nil && !inside && (nameOf(callee.Left) == "JSON" || nameOf(callee.Left) == "console"), ""
		case *ast.DotExpression:
			switch member := p.Identifier.Name.String(); {
			case many && (member == "filter" || member == "slice" || member == "concat"), !many && (member == "then" || member == "catch" || member == "finally"):
				i-- // the call, which gives another one
			default:
				return !many, ""
			}
		case *ast.BracketExpression:
			return p.Left == node && !many, ""
		case *ast.BinaryExpression:
			if p.Operator != gotoken.LOGICAL_AND && p.Operator != gotoken.LOGICAL_OR && p.Operator != gotoken.COALESCE {
				return true, ""
			}
		case *ast.ConditionalExpression:
			if p.Test == node {
				return true, ""
			}
		case *ast.UnaryExpression:
			return p.Operator != gotoken.VOID, "" // void says that nobody awaits it
		case *ast.ExpressionStatement, *ast.TemplateLiteral:
			return true, ""
		case *ast.IfStatement:
			return p.Test == node, ""
		case *ast.ForOfStatement:
			return p.Source == node && !many, ""
		case *ast.ReturnStatement, *ast.ExpressionBody:
			return l.returned(around[:i], many || inside), ""
		case *ast.ArrayLiteral, *ast.ObjectLiteral, *ast.PropertyKeyed, *ast.PropertyShort:
			inside = true
		case *ast.Binding:
			if p.Initializer != node || inside {
				return false, ""
			}
			return !many, nameOf(p.Target)
		case *ast.AssignExpression:
			return false, ""
		case *ast.Optional, *ast.OptionalChain, *ast.SpreadElement:
		default:
			return false, ""
		}
		node = around[i]
	}
	return false, ""
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
		switch p := around[i-1].(type) {
		case *ast.CallExpression:
			callee, _ := p.Callee.(*ast.DotExpression)
			return callee != nil && callee.Identifier.Name == "forEach"
		case *ast.FunctionDeclaration:
			return inside && p.Function.Name.Name.String() == l.entry
		case *ast.Binding:
			return inside && nameOf(p.Target) == l.entry
		case *ast.AssignExpression:
			return inside && isExports(p.Left)
		}
		return false
	}
	return false
}
