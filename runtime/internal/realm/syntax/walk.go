// Package syntax visits the trees of the engine's parser.
package syntax

import (
	"reflect"

	"github.com/dop251/goja/ast"
)

var astPackage = reflect.TypeFor[ast.Program]().PkgPath()

// Each calls enter for each node below a node, and for itself, the outermost first, and then
// leave, once all that is in the node was visited; leave may be nil. A node that enter changes
// is visited as it is then. What a tree repeats is visited once.
func Each(node any, enter, leave func(node any)) {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			walk(v.Elem())
		case reflect.Pointer:
			if v.IsNil() || v.Type().Elem().PkgPath() != astPackage {
				return
			}
			node := v.Interface()
			enter(node)
			walk(v.Elem())
			if leave != nil {
				leave(node)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				// DeclarationList repeats what the body has.
				if f := v.Type().Field(i); f.IsExported() && f.Name != "DeclarationList" {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(node))
}
