package realm

import (
	"strings"

	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// mendPrivateIn gives #x in a its operator, for which the engine's parser takes what comes behind it.
func mendPrivateIn(tree *ast.Program, source string) {
	if !strings.Contains(source, "#") {
		return
	}
	syntax.Each(tree, func(node any) {
		if e, ok := node.(*ast.BinaryExpression); ok {
			if _, private := e.Left.(*ast.PrivateIdentifier); private {
				e.Operator = operators.IN
			}
		}
	}, nil)
}
