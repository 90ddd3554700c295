package realm

import (
	"slices"

	"github.com/dop251/goja/ast"
	gotoken "github.com/dop251/goja/token"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// variable is what a name stands for in a part of a source.
type variable struct {
	name    string
	ctx     bool   // it is the context of a run
	first   bool   // since it is the first parameter of the entry
	part    string // it is this property of what from is, or of the context if from is nil
	from    ast.Expression
	value   ast.Expression // what it was declared with; nil for a parameter or a pattern
	fixed   bool           // it is a constant
	async   bool           // it is an async function
	settles bool           // calling it settles the promise that new Promise makes
	many    bool           // it is an array of promises
	warning *Flaw          // it holds if nothing awaits the variable
	awaited bool
}

// scopes are the variables of a source.
type scopes struct {
	main     any                    // the entry, once its declaration was visited
	declared map[any][]*variable    // by the node that is their scope
	visible  map[string][]*variable // by name, at the node that is being visited; the innermost is the last
}

// each visits every node, with those around it, the outermost first.
func (s *scopes) each(tree *ast.Program, visit func(node any, around []any)) {
	var around []any
	var shown [][]*variable // at each of those around; a visit can declare more
	syntax.Each(tree, func(node any) {
		own := s.declared[node]
		for _, d := range own {
			s.visible[d.name] = append(s.visible[d.name], d)
		}
		visit(node, around)
		around, shown = append(around, node), append(shown, own)
	}, func(any) {
		own := shown[len(shown)-1]
		around, shown = around[:len(around)-1], shown[:len(shown)-1]
		for _, d := range own {
			s.visible[d.name] = s.visible[d.name][:len(s.visible[d.name])-1]
		}
	})
}

// known is the variable that an expression names; an empty one if it names none, or one that
// the source does not declare.
func (s *scopes) known(e any) *variable {
	if id, ok := e.(*ast.Identifier); ok {
		if found := s.visible[id.Name.String()]; len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return &variable{}
}

// global is the name of a global that an expression names; empty if it names none.
func (s *scopes) global(e ast.Expression) string {
	if s.known(e).name != "" {
		return ""
	}
	return nameOf(e)
}

// declare notes the variables that a node declares, and the entry, which has that name or is
// exported.
func (s *scopes) declare(entry string, node any, around []any) {
	switch n := node.(type) {
	case *ast.AssignExpression:
		if isExports(n.Left) {
			s.main = n.Right
		}
		return
	case *ast.FunctionDeclaration, *ast.ClassDeclaration, *ast.ClassLiteral, *ast.FunctionLiteral, *ast.Binding, *ast.ParameterList, *ast.ForDeclaration, *ast.CatchStatement:
	default:
		return // most nodes, and the search below takes time where they are nested deep
	}
	function, block := scopesOf(around)
	switch n := node.(type) {
	case *ast.FunctionDeclaration:
		s.bind(n.Function.Name, block, variable{async: isAsync(n.Function)})
		s.enter(entry, n.Function.Name, n.Function, block)
	case *ast.ClassDeclaration:
		if n.Class.Name != nil {
			s.bind(n.Class.Name, block, variable{})
		}
	case *ast.ClassLiteral:
		if n.Name != nil { // which it has inside
			s.bind(n.Name, n, variable{})
		}
	case *ast.FunctionLiteral:
		if n.Name != nil { // which it has inside
			s.bind(n.Name, n, variable{async: isAsync(n)})
		}
	case *ast.Binding:
		scope := block
		switch parent := around[len(around)-1].(type) {
		case *ast.VariableStatement, *ast.ForLoopInitializerVarDeclList, *ast.ForIntoVar:
			scope = function
		case *ast.ParameterList:
			first := function == s.main && parent.List[0] == n
			if target, pattern := n.Target.(*ast.ObjectPattern); pattern && first {
				s.take(target, function, nil)
				return
			}
			s.bind(n.Target, function, variable{ctx: nameOf(n.Target) == "ctx" || first, first: first, settles: isExecutor(around), value: settledFor(around)})
			return
		}
		v := variable{async: isAsync(n.Initializer)}
		switch target := n.Target.(type) {
		case *ast.Identifier:
			v.from, v.part = memberOf(n.Initializer)
			v.value = n.Initializer
			declaration, lexical := around[len(around)-1].(*ast.LexicalDeclaration)
			v.fixed = lexical && declaration.Token == gotoken.CONST
		case *ast.ObjectPattern:
			if n.Initializer != nil {
				s.take(target, scope, n.Initializer)
				return
			}
		case *ast.ArrayPattern:
			if s.together(target, scope, n.Initializer) {
				return
			}
		}
		s.bind(n.Target, scope, v)
		s.enter(entry, n.Target, n.Initializer, scope)
	case *ast.ParameterList:
		s.bind(n.Rest, function, variable{})
	case *ast.ForDeclaration:
		s.bind(n.Target, block, variable{})
	case *ast.CatchStatement:
		s.bind(n.Parameter, n, variable{})
	}
}

// enter notes the entry.
func (s *scopes) enter(entry string, target, value, scope any) {
	if _, top := scope.(*ast.Program); top && nameOf(target) == entry {
		s.main = value
	}
}

// scopesOf are the innermost function and the innermost block around a node.
func scopesOf(around []any) (function, block any) {
	for _, n := range slices.Backward(around) {
		switch n.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.Program:
			if block == nil {
				block = n
			}
			return n, block
		case *ast.BlockStatement, *ast.ForStatement, *ast.ForOfStatement, *ast.ForInStatement, *ast.SwitchStatement:
			if block == nil {
				block = n
			}
		}
	}
	return nil, block
}

// take declares the names of a pattern that takes apart what from is, or the context if it is nil.
func (s *scopes) take(pattern *ast.ObjectPattern, scope any, from ast.Expression) {
	for _, p := range pattern.Properties {
		target, name := takes(p)
		if given, ok := target.(*ast.AssignExpression); ok { // it has a default
			target = given.Left
		}
		if _, plain := target.(*ast.Identifier); plain {
			s.bind(target, scope, variable{part: name, from: from})
		} else {
			s.bind(target, scope, variable{})
		}
	}
	s.bind(pattern.Rest, scope, variable{})
}

// together declares the names of a pattern that takes apart what promises that are written out give
// together, as in const [a, b] = await Promise.all([…, …]). It reports whether that is so.
func (s *scopes) together(pattern *ast.ArrayPattern, scope any, from ast.Expression) bool {
	awaited, _ := from.(*ast.AwaitExpression)
	if awaited == nil {
		return false
	}
	all, _ := awaited.Argument.(*ast.CallExpression)
	if all == nil || len(all.ArgumentList) != 1 {
		return false
	}
	object, member := memberOf(all.Callee)
	list, _ := all.ArgumentList[0].(*ast.ArrayLiteral)
	if nameOf(object) != "Promise" || member != "all" || list == nil {
		return false
	}
	spread := slices.IndexFunc(list.Value, func(e ast.Expression) bool { _, ok := e.(*ast.SpreadElement); return ok })
	for i, element := range pattern.Elements {
		v := variable{}
		if _, plain := element.(*ast.Identifier); plain && i < len(list.Value) && (spread < 0 || i < spread) {
			v.value = &ast.AwaitExpression{Await: awaited.Await, Argument: list.Value[i]}
		}
		s.bind(element, scope, v)
	}
	s.bind(pattern.Rest, scope, variable{})
	return true
}

// settledFor is what a parameter gets: await of a promise, for that of a function that then is called
// with; nil for any other.
func settledFor(around []any) ast.Expression {
	if len(around) < 3 {
		return nil
	}
	list, _ := around[len(around)-1].(*ast.ParameterList)
	call, _ := around[len(around)-3].(*ast.CallExpression)
	if list == nil || len(list.List) != 1 || call == nil || len(call.ArgumentList) == 0 || call.ArgumentList[0] != around[len(around)-2] {
		return nil
	}
	if object, member := memberOf(call.Callee); object != nil && member == "then" {
		return &ast.AwaitExpression{Argument: object}
	}
	return nil
}

// takes is what a property of a pattern declares, and the name of the property that it takes;
// nothing if node is none.
func takes(node any) (target any, name string) {
	switch p := node.(type) {
	case *ast.PropertyShort:
		return &p.Name, p.Name.Name.String()
	case *ast.PropertyKeyed:
		return p.Value, writtenText(p.Key)
	}
	return nil, ""
}

// bind declares a name, or those of a pattern.
func (s *scopes) bind(target, scope any, v variable) {
	switch t := target.(type) {
	case *ast.Identifier:
		v.name = t.Name.String()
		s.declared[scope] = append(s.declared[scope], &v)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			s.bind(p, scope, variable{})
		}
		s.bind(t.Rest, scope, variable{})
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			s.bind(e, scope, variable{})
		}
		s.bind(t.Rest, scope, variable{})
	case *ast.PropertyShort:
		s.bind(&t.Name, scope, variable{})
	case *ast.PropertyKeyed:
		s.bind(t.Value, scope, variable{})
	case *ast.AssignExpression: // it has a default
		s.bind(t.Left, scope, variable{})
	}
}

func nameOf(e any) string {
	if id, ok := e.(*ast.Identifier); ok {
		return id.Name.String()
	}
	return ""
}
