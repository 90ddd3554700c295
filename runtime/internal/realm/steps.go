package realm

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
)

// stepName is the function that lowered loops of for await call.
const stepName = ownPrefix + "step"

// step lowers the loop that for await was lowered to, for (…; more = !(temp = await …).done; …),
// which went on without end if an iterator gave no objects. Its variables kept what they had when
// the loop ran before: an error that was caught was thrown again.
func (l *lowering) step(loop *ast.ForStatement) {
	more, ok1 := loop.Test.(*ast.AssignExpression)
	if !ok1 || !strings.HasPrefix(nameOf(more.Left), "more") {
		return
	}
	not, ok2 := more.Right.(*ast.UnaryExpression)
	if !ok2 || not.Operator != operators.NOT {
		return
	}
	done, ok3 := not.Operand.(*ast.DotExpression)
	if !ok3 || done.Identifier.Name != "done" {
		return
	}
	temp, ok4 := done.Left.(*ast.AssignExpression)
	declared, ok5 := loop.Initializer.(*ast.ForLoopInitializerVarDeclList)
	if !ok4 || !ok5 || !strings.HasPrefix(nameOf(temp.Left), "temp") || len(declared.List) < 2 {
		return
	}
	temp.Right = l.call(stepName, temp.Right)
	for _, b := range declared.List[1:] { // all but the iterator
		if b.Initializer == nil {
			b.Initializer = &ast.UnaryExpression{Operator: operators.VOID, Idx: b.Idx0(), Operand: numeral(b.Idx0(), int64(0))}
		}
	}
	declared.List = append(declared.List[1:], declared.List[0])
}

// step gives what an iterator gave, which has to be an object.
func (r *Realm) step(call goja.FunctionCall) goja.Value {
	result := call.Arguments[0]
	if _, ok := result.(*goja.Object); !ok {
		text := "a symbol"
		if _, symbol := result.(*goja.Symbol); !symbol {
			text = result.String()
		}
		panic(r.newError("TypeError", "Iterator result "+text+" is not an object"))
	}
	return result
}
