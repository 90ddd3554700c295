package realm

import (
	"errors"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	operators "github.com/dop251/goja/token"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/syntax"
)

// gropes reports whether a program may reach a property by a name that is not in its source.
func gropes(tree *ast.Program, source string) (found bool) {
	for _, way := range []string{"Reflect", "getOwnPropertyDescriptor", `\u`, `\x`} {
		if strings.Contains(source, way) {
			return true
		}
	}
	if !strings.Contains(source, "[") {
		return false
	}
	syntax.Each(tree, func(node any) {
		switch e := node.(type) {
		case *ast.BracketExpression:
			found = found || !written(e.Member)
		case *ast.ObjectPattern:
			found = found || slices.ContainsFunc(e.Properties, func(p ast.Property) bool {
				keyed, ok := p.(*ast.PropertyKeyed)
				return ok && keyed.Computed && !written(keyed.Key)
			})
		}
	}, nil)
	return found
}

// written reports whether a name is in the source, or is no name of a function.
func written(name ast.Expression) bool {
	switch e := name.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.UnaryExpression:
		return true
	case *ast.BinaryExpression:
		switch e.Operator {
		case operators.PLUS: // no name begins or ends with a digit
			return number(e.Left) || number(e.Right)
		case operators.LOGICAL_AND, operators.LOGICAL_OR, operators.COALESCE:
			return false
		}
		return true
	}
	return false
}

func number(e ast.Expression) bool {
	_, ok := e.(*ast.NumberLiteral)
	return ok
}

// unnamed are the functions that the engine gets wrong, by their classes. A realm gets right ones
// if its program has their names; else these stay out of reach of names that a script puts
// together. To make the classes for that takes half the time of an empty realm, and the right
// ones take more than all of it.
var unnamed = map[string][]string{
	"String": {"localeCompare", "toLocaleUpperCase", "toLocaleLowerCase"},
	"Number": {"toLocaleString"},
	"BigInt": {"toLocaleString"},
	"Date":   {"toLocaleString", "toLocaleDateString", "toLocaleTimeString"},
}

// refuseUnnamed puts functions that throw in the place of what the engine gets wrong and the
// program does not name.
func (r *Realm) refuseUnnamed(program compiled) (err error) {
	if !program.gropes || program.parts.Localizes() {
		return nil
	}
	for class, names := range unnamed {
		prototype := r.vm.Get(class).(*goja.Object).Get("prototype").(*goja.Object)
		for _, name := range names {
			f := r.vm.ToValue(func(goja.FunctionCall) goja.Value { panic(r.notNamed(name)) })
			err = errors.Join(err, prototype.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
		}
	}
	return err
}

// notNamed is the error of what was reached by a name that the source does not have.
func (r *Realm) notNamed(name string) goja.Value {
	return r.newError("TypeError", name+" was reached by a name that is not in the source; a realm gets it only where the source has the word: write "+name+" there")
}
