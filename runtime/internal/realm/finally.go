package realm

import (
	"errors"
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// lowerFinally writes statements anew whose finally the engine gets wrong.
func lowerFinally(tree *ast.Program, source string) error {
	if !strings.Contains(source, "finally") {
		return nil
	}
	var generators []bool // whether each function around is one
	var failed error
	syntax.Each(tree, func(node any) {
		switch n := node.(type) {
		case *ast.FunctionLiteral:
			generators = append(generators, n.Generator)
		case *ast.ArrowFunctionLiteral:
			generators = append(generators, false)
		case *ast.TryStatement:
			nestCatch(n)
		}
	}, func(node any) {
		switch n := node.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			generators = generators[:len(generators)-1]
		case *ast.TryStatement:
			if len(generators) > 0 && generators[len(generators)-1] && n.Finally != nil && movable(n.Finally) {
				failed = errors.Join(failed, delegate(n.Finally))
			}
		}
	})
	return failed
}

// nestCatch turns try {} catch {} finally {} into try { try {} catch {} } finally {}. The engine
// gives an exception of the finally to the catch of the same statement.
func nestCatch(outer *ast.TryStatement) {
	if outer.Catch == nil || outer.Finally == nil {
		return
	}
	inner := &ast.TryStatement{Try: outer.Try, Body: outer.Body, Catch: outer.Catch}
	outer.Body, outer.Catch = &ast.BlockStatement{LeftBrace: inner.Body.LeftBrace, List: []ast.Statement{inner}, RightBrace: inner.Catch.Body.RightBrace}, nil
}

// leftName is the constant in a finally that was delegated. No source can have it.
const leftName = ownPrefix + "left"

// delegating is a generator whose finally runs in a generator of its own. While a generator is
// being left, by break or return(), the engine takes an exception that the finally catches for
// the end of it: the run had no value, or crashed. One that is under way in the ordinary manner
// is right.
const delegating = `(function* () { try {} finally { const left = yield* (function* () { try {} catch (e) { return { e } } }).call(this); if (left) throw left.e } })`

// delegate moves what a block of a generator does into a generator of its own.
func delegate(block *ast.BlockStatement) error {
	tree, err := parse(ownPrefix+"finally", delegating)
	if err != nil {
		return err
	}
	var tries []*ast.TryStatement
	syntax.Each(tree, func(node any) {
		if try, ok := node.(*ast.TryStatement); ok {
			tries = append(tries, try)
		}
		if name, ok := node.(*ast.Identifier); ok && name.Name == "left" {
			name.Name = leftName
		}
		placeAt(node, block.LeftBrace)
	}, nil)
	outer, inner := tries[0], tries[1]
	inner.Body.List = block.List
	block.List = outer.Finally.List
	return nil
}

// placeAt makes a place that of all of a node.
func placeAt(node any, at file.Idx) {
	v := reflect.Indirect(reflect.ValueOf(node))
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.Type() == reflect.TypeFor[file.Idx]() && f.CanSet() {
			f.SetInt(int64(at))
		}
	}
}

// movable reports whether a block of a generator does the same in a function of its own: it
// leaves nothing around it, declares nothing for it, and needs nothing that functions have anew.
func movable(block *ast.BlockStatement) bool {
	moves := true
	functions, loops, switches := 0, 0, 0
	count := func(node any, by int) {
		switch node.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
			functions += by
		case *ast.ForStatement, *ast.ForInStatement, *ast.ForOfStatement, *ast.WhileStatement, *ast.DoWhileStatement:
			loops += by
		case *ast.SwitchStatement:
			switches += by
		}
	}
	syntax.Each(block, func(node any) {
		switch n := node.(type) {
		case *ast.Identifier:
			moves = moves && n.Name != "arguments"
		case *ast.SuperExpression, *ast.MetaProperty:
			moves = false
		case *ast.ReturnStatement, *ast.VariableStatement, *ast.ForLoopInitializerVarDeclList, *ast.ForIntoVar, *ast.FunctionDeclaration:
			moves = moves && functions > 0
		case *ast.BranchStatement:
			within := loops > 0 || switches > 0 && n.Token.String() == "break"
			moves = moves && (functions > 0 || n.Label == nil && within)
		}
		count(node, 1)
	}, func(node any) { count(node, -1) })
	return moves
}
