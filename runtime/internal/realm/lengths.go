package realm

import (
	"errors"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// sizedFunction is a function of the engine that allocates as much as an argument says.
type sizedFunction struct {
	owner, name string // owner is a global, or the prototype of one
	prototype   bool
}

// sizedIn returns those whose names are in a source. Replacing all of them would double the
// time of a short run. If a script calls one by a computed name, it cannot catch the error.
func sizedIn(source string) (found []sizedFunction) {
	for _, s := range sized {
		if strings.Contains(source, s.name) {
			found = append(found, s)
		}
	}
	return found
}

// sized are the functions that panic when a length is too large. The language demands a
// RangeError.
var sized = []sizedFunction{
	{"String", "repeat", true}, {"String", "padStart", true}, {"String", "padEnd", true},
	{"Array", "sort", true},
	{"Function", "apply", true}, {"Reflect", "apply", false}, {"Reflect", "construct", false},
	{"BigInt", "asIntN", false}, {"BigInt", "asUintN", false},
}

// boundLengths makes these functions throw a RangeError.
func (r *Realm) boundLengths(functions []sizedFunction) error {
	var errs []error
	for _, s := range functions {
		errs = append(errs, r.replaceFunction(s, func(original goja.Callable) func(goja.FunctionCall) goja.Value {
			return func(call goja.FunctionCall) goja.Value {
				defer func() {
					if p := recover(); p != nil {
						if tooLong(p) {
							panic(r.newError("RangeError", outOfRange))
						}
						panic(p)
					}
				}()
				return must(original(call.This, call.Arguments...))
			}
		}))
	}
	return errors.Join(errs...)
}

// replaceFunction puts another function in the place of one of the engine's, which it may call.
func (r *Realm) replaceFunction(s sizedFunction, other func(original goja.Callable) func(goja.FunctionCall) goja.Value) error {
	owner, ok := r.ownerOf(s)
	if !ok {
		return nil
	}
	value := owner.Get(s.name)
	original, ok := directly(value)
	if !ok {
		return nil // this engine has no such function
	}
	replaced := r.vm.ToValue(other(original)).(*goja.Object)
	return errors.Join(
		replaced.DefineDataProperty("name", r.vm.ToValue(s.name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		replaced.DefineDataProperty("length", value.(*goja.Object).Get("length"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		owner.DefineDataProperty(s.name, replaced, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
}

// directly is a function, which throws by panicking if it is a native one: that is far faster.
func directly(v goja.Value) (goja.Callable, bool) {
	if o, ok := v.(*goja.Object); ok {
		if native, ok := o.Export().(func(goja.FunctionCall) goja.Value); ok {
			return func(this goja.Value, arguments ...goja.Value) (goja.Value, error) {
				return native(goja.FunctionCall{This: this, Arguments: arguments}), nil
			}, true
		}
	}
	return goja.AssertFunction(v)
}

// ownerOf is the object whose property a function is.
func (r *Realm) ownerOf(s sizedFunction) (owner *goja.Object, ok bool) {
	if s.owner == typedArray {
		owner = r.vm.Get("Uint8Array").(*goja.Object).Get("prototype").(*goja.Object).Prototype()
		return owner, owner != nil
	}
	owner, ok = r.vm.Get(s.owner).(*goja.Object)
	if ok && s.prototype {
		owner, ok = owner.Get("prototype").(*goja.Object)
	}
	return owner, ok
}

// must returns a value, or throws.
func must(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(err)
	}
	return v
}

const outOfRange = "a length is out of range"

// tooLong reports whether a panic is one of the Go runtime, or of its library, at an
// impossible length. It is matched by its text, as it has no type of its own.
func tooLong(p any) bool {
	var text string
	switch p := p.(type) {
	case string:
		text = p
	case error:
		text = p.Error()
	}
	return slices.ContainsFunc([]string{"makeslice: ", "growslice: ", "bytes.Buffer: too large", "Repeat: output length overflow", "Repeat output length overflow"},
		func(known string) bool { return strings.Contains(text, known) })
}
