package realm

import (
	"errors"
	"strings"

	"github.com/dop251/goja"
)

// replaceNumber makes Number right for BigInts of more than 64 bits and for texts in other bases.
// Ours is a proxy of the engine's: a function in Go cannot tell how it was called and return a
// number.
func (r *Realm) replaceNumber() error {
	class, ok := r.vm.Get("Number").(*goja.Object)
	if !ok {
		return errors.New("there is no Number")
	}
	call, ok1 := directly(class)
	construct, ok2 := goja.AssertConstructor(class)
	if !ok1 || !ok2 {
		return errors.New("the class Number is no function")
	}
	converted := func(arguments []goja.Value) []goja.Value {
		if len(arguments) == 0 || isNumeric(arguments[0]) {
			return arguments
		}
		n := r.numeric(arguments[0])
		if whole, ok := bigIntOf(n); ok {
			n = r.vm.ToValue(floatOf(whole))
		}
		return []goja.Value{n}
	}
	return r.replaceClass("Number", class, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, this goja.Value, arguments []goja.Value) goja.Value {
			if arguments = converted(arguments); len(arguments) > 0 {
				return arguments[0]
			}
			return must(call(this))
		},
		Construct: func(_ *goja.Object, arguments []goja.Value, newTarget *goja.Object) *goja.Object {
			made, err := construct(newTarget, converted(arguments)...)
			if err != nil {
				panic(err)
			}
			return made
		},
	})
}

// replaceClass puts a proxy of a class in its place.
func (r *Realm) replaceClass(name string, class *goja.Object, traps *goja.ProxyTrapConfig) error {
	inherited, ok := r.vm.Get("Function").(*goja.Object).Get("prototype").(*goja.Object).GetSymbol(goja.SymHasInstance).(*goja.Object)
	if !ok {
		return errors.New("functions do not know their instances")
	}
	hasInstance, _ := directly(inherited)
	var ours goja.Value
	isInstance := r.vm.ToValue(func(f goja.FunctionCall) goja.Value { // of a proxy the engine does not say it
		if f.This.SameAs(ours) {
			return must(hasInstance(class, f.Arguments...))
		}
		return must(hasInstance(f.This, f.Arguments...))
	})
	traps.GetSym = func(_ *goja.Object, property *goja.Symbol, _ goja.Value) goja.Value {
		if property == goja.SymHasInstance {
			return isInstance
		}
		return class.GetSymbol(property)
	}
	ours = r.vm.ToValue(r.vm.NewProxy(class, traps))
	prototype, ok := class.Get("prototype").(*goja.Object)
	if !ok {
		return errors.New("the class " + name + " has no prototype")
	}
	return errors.Join(
		r.vm.GlobalObject().DefineDataProperty(name, ours, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		prototype.DefineDataProperty("constructor", ours, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}

// callsClass reports whether a source may call a class, or hand it on.
func callsClass(source, name string) bool {
	for rest := source; ; {
		_, after, found := strings.Cut(rest, name)
		if !found {
			return false
		}
		if rest = after; after == "" || after[0] != '.' && !inWord(after[0]) {
			return true
		}
	}
}
