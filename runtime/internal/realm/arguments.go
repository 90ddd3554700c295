package realm

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// arguments warns of keys that a host tool does not take, in a call that names the tool and
// writes its arguments out.
func (l *lint) arguments(call *ast.CallExpression) {
	tool, given := l.toolOf(call), 1
	if tool == "" {
		object, _ := memberOf(call.Callee)
		inner, part := memberOf(object)
		if !(part == "tools" && l.known(inner).ctx || l.partOf(object) == "tools") {
			return
		}
		tool, given = l.toolOf(call.Callee), 0
	}
	names, known := l.takes[tool]
	if !known || len(l.warnings) >= maxWarnings || len(call.ArgumentList) <= given {
		return
	}
	object, ok := bare(call.ArgumentList[given]).(*ast.ObjectLiteral)
	if !ok {
		return
	}
	for _, p := range object.Value {
		name, at := "", ast.Node(nil)
		switch p := p.(type) {
		case *ast.PropertyShort:
			name, at = p.Name.Name.String(), &p.Name
		case *ast.PropertyKeyed:
			if !p.Computed {
				name, at = writtenText(p.Key), p.Key
			}
		}
		if name == "" || slices.Contains(names, name) {
			continue
		}
		msg := "the tool " + tool + " takes no argument " + name
		if near := spelling.Nearest(name, names); near != "" {
			msg += "; did you mean " + near + "?"
		}
		l.warnings = append(l.warnings, l.at(at, msg))
	}
}
