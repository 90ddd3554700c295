package realm

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/scriptrun/scriptrun/hostapi/spelling"
)

// globalNames are the globals of the language. Those that are made when they are first read
// are not among them.
var globalNames = strings.Fields(`
AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON
Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef
WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN
parseFloat parseInt undefined unescape arguments SuppressedError DisposableStack AsyncDisposableStack`)

// mostAlike bounds the names that one which is not declared is compared with.
const mostAlike = 2000

// isGlobal reports whether a script finds a name that it does not declare.
func isGlobal(name string) bool {
	return slices.Contains(globalNames, name) || (*lazyGlobals)(nil).Has(name)
}

// undeclared warns of names that the source uses and declares nowhere. It says nothing of a
// name that is declared somewhere else than where it is used, or that typeof asks about anywhere.
func (l *lint) undeclared(tree *ast.Program, c Checked) {
	names := map[string]bool{"require": true} // which has a warning of its own
	if c.CommonJS {
		names["module"], names["exports"] = true, true
	}
	for _, variables := range l.declared {
		for _, v := range variables {
			names[v.name] = true
		}
	}
	skip := map[*ast.Identifier]bool{}
	ever := false // anything may be a name
	l.each(tree, func(node any, around []any) {
		switch n := node.(type) {
		case *ast.ClassLiteral:
			if n.Name != nil {
				names[nameOf(n.Name)] = true
			}
		case *ast.ObjectPattern: // its own names are declared or assigned
			for _, p := range n.Properties {
				if short, ok := p.(*ast.PropertyShort); ok {
					names[short.Name.Name.String()] = true
				}
			}
		case *ast.AssignExpression:
			if !c.Strict { // it makes a global
				names[nameOf(n.Left)] = true
			}
		case *ast.LabelledStatement:
			skip[n.Label] = true
		case *ast.BranchStatement:
			skip[n.Label] = true
		case *ast.MetaProperty:
			skip[n.Meta], skip[n.Property] = true, true
		case *ast.UnaryExpression:
			if id, ok := n.Operand.(*ast.Identifier); ok && n.Operator.String() == "typeof" {
				names[id.Name.String()] = true // the source knows that it may be missing
			}
		case *ast.WithStatement:
			ever = true
		case *ast.Identifier:
			ever = ever || n.Name == "globalThis"
		}
	})
	if ever {
		return
	}
	alike := slices.Concat(l.names(), globalNames)
	if len(alike) > mostAlike {
		alike = nil
	}
	found := 0
	l.each(tree, func(node any, _ []any) {
		if found == maxWarnings {
			return
		}
		var id *ast.Identifier
		switch n := node.(type) {
		case *ast.Identifier:
			id = n
		case *ast.PropertyShort:
			id = &n.Name
		}
		if id == nil || skip[id] || names[id.Name.String()] || isGlobal(id.Name.String()) {
			return
		}
		name := id.Name.String()
		names[name] = true
		found++
		msg := name + " is not defined"
		if near := spelling.Nearest(name, alike); near != "" && len(name) > 2 && (len(name) > 3 || strings.EqualFold(near[:1], name[:1])) {
			msg += "; did you mean " + near + "?"
		}
		l.warnings = append(l.warnings, l.at(id, msg))
	})
}

// names are those that the source declares.
func (l *lint) names() (names []string) {
	for _, variables := range l.declared {
		for _, v := range variables {
			if !strings.HasPrefix(v.name, "__") { // what lowering declares
				names = append(names, v.name)
			}
		}
	}
	slices.Sort(names)
	return names
}
