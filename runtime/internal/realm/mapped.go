package realm

import (
	"slices"

	"github.com/dop251/goja/ast"
)

// mapped warns where a method of a list is given a part of ctx as its function: the list gives that the
// place of each entry as well, which it takes for its options.
func (l *lint) mapped(node any) {
	call, ok := node.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) == 0 || len(l.warnings) >= maxWarnings {
		return
	}
	_, method := memberOf(call.Callee)
	if !slices.Contains(withFunctions, method) || l.own.methods[method] {
		return
	}
	given := bare(call.ArgumentList[0])
	name := nameOf(given)
	part := l.partOf(given)
	if object, member := memberOf(given); object != nil && l.known(object).ctx {
		name, part = nameOf(object)+"."+member, member
	}
	if partNamed(part).promises {
		l.warnings = append(l.warnings, l.at(call, method+" gives "+name+" a place in the list too, as its options; write "+method+"((x) => "+name+"(x))"))
	}
}
