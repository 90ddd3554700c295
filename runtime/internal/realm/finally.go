package realm

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// lowerFinally writes statements anew whose finally the engine gets wrong.
func lowerFinally(tree *ast.Program, source string) {
	if !strings.Contains(source, "finally") {
		return
	}
	syntax.Each(tree, func(node any) {
		if try, ok := node.(*ast.TryStatement); ok {
			nestCatch(try)
			wrapJumps(try.Finally)
		}
	}, nil)
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

// wrapJumps puts the jumps of a finally into blocks of their own: finally { …; break } becomes
// finally { …; { break } }. The engine leads every other jump there to where such a one leads.
func wrapJumps(finally *ast.BlockStatement) {
	if finally == nil {
		return
	}
	for i, s := range finally.List {
		if jump, ok := s.(*ast.BranchStatement); ok {
			finally.List[i] = block(jump.Idx, jump)
		}
	}
}
