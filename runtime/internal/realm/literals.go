package realm

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// mendLiterals keeps computed names of an object literal from calling accessors: the engine stores
// there instead of defining, so that ({ get y() {…}, [k]: 1 }) threw where k is "y", and the setter of
// a __proto__ took a function. What is spread is defined, and names a function as it should:
//
//	{ get y() {…}, ...{ [k]: 1 } }
func mendLiterals(tree *ast.Program, source string) {
	if !strings.Contains(source, "[") || !strings.Contains(source, "get") && !strings.Contains(source, "set") && !strings.Contains(source, "__proto__") {
		return
	}
	syntax.Each(tree, func(node any) {
		if literal, ok := node.(*ast.ObjectLiteral); ok {
			spreadComputed(literal)
		}
	}, nil)
}

// spreadComputed spreads what has a computed name, behind an accessor or __proto__.
func spreadComputed(literal *ast.ObjectLiteral) {
	accessors := false
	for i, property := range literal.Value {
		keyed, ok := property.(*ast.PropertyKeyed)
		switch {
		case !ok:
		case keyed.Kind == ast.PropertyKindGet, keyed.Kind == ast.PropertyKindSet, !keyed.Computed && keyName(keyed.Key) == "__proto__":
			accessors = true
		case accessors && keyed.Computed && keyed.Kind == ast.PropertyKindValue:
			at := keyed.Idx0()
			literal.Value[i] = &ast.SpreadElement{Expression: &ast.ObjectLiteral{LeftBrace: at, RightBrace: keyed.Idx1(), Value: []ast.Property{keyed}}}
		}
	}
}

// keyName is a name that is written as a word or a text.
func keyName(key ast.Expression) string {
	if text, ok := key.(*ast.StringLiteral); ok {
		return text.Value.String()
	}
	return nameOf(key)
}
