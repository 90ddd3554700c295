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
		owner, ok := r.vm.Get(s.owner).(*goja.Object)
		if ok && s.prototype {
			owner, ok = owner.Get("prototype").(*goja.Object)
		}
		if ok {
			errs = append(errs, r.boundLength(owner, s.name))
		}
	}
	return errors.Join(errs...)
}

func (r *Realm) boundLength(owner *goja.Object, name string) error {
	value := owner.Get(name)
	original, ok := goja.AssertFunction(value)
	if !ok {
		return nil // this engine has no such function
	}
	bound := r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		defer func() {
			if p := recover(); p != nil {
				if tooLong(p) {
					panic(r.newError("RangeError", outOfRange))
				}
				panic(p)
			}
		}()
		result, err := original(call.This, call.Arguments...)
		if err != nil {
			panic(err)
		}
		return result
	}).(*goja.Object)
	return errors.Join(
		bound.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		bound.DefineDataProperty("length", value.(*goja.Object).Get("length"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE),
		owner.DefineDataProperty(name, bound, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE),
	)
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
