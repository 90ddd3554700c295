package regexps

import (
	"math"

	"github.com/dop251/goja"
)

// throw throws an error of one of the language's classes.
func (w *World) throw(class, message string) {
	object, err := w.vm.New(w.vm.Get(class), w.vm.ToValue(message))
	if err != nil { // the script replaced the class
		panic(w.vm.NewTypeError(message))
	}
	panic(object)
}

// must throws what a call of the engine threw.
func (w *World) must(err error) {
	if err != nil {
		panic(err)
	}
}

// object returns this, or throws a TypeError.
func (w *World) object(call goja.FunctionCall, method string) *goja.Object {
	object, ok := call.This.(*goja.Object)
	if !ok {
		panic(w.vm.NewTypeError("RegExp.prototype." + method + " called on a value that is no object"))
	}
	return object
}

// toString is the standard's ToString.
func (w *World) toString(v goja.Value) goja.String {
	switch v := v.(type) {
	case goja.String:
		return v
	case nil:
		return w.vm.ToValue("undefined").(goja.String)
	case *goja.Object:
		return w.toString(v.ToString()) // which is a primitive
	case *goja.Symbol:
		panic(w.vm.NewTypeError("Cannot convert a Symbol value to a string"))
	}
	return w.vm.ToValue(v.String()).(goja.String)
}

func get(o *goja.Object, name string) goja.Value {
	if v := o.Get(name); v != nil {
		return v
	}
	return goja.Undefined()
}

// toLength is the standard's ToLength.
func toLength(v goja.Value) int64 {
	return min(max(v.ToNumber().ToInteger(), 0), 1<<53-1) // the engine reads texts poorly but for ToNumber
}

func toUint32(v goja.Value) uint32 {
	f := math.Trunc(v.ToNumber().ToFloat())
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return uint32(int64(math.Mod(f, 1<<32)))
}

func isNullish(v goja.Value) bool { return v == nil || goja.IsUndefined(v) || goja.IsNull(v) }

// lastIndex reads the property.
func (w *World) lastIndex(o *goja.Object) int64 { return toLength(get(o, "lastIndex")) }

func (w *World) setLastIndex(o *goja.Object, to int64) {
	w.must(o.Set("lastIndex", w.vm.ToValue(to)))
}

// method is the standard's GetMethod, of a symbol.
func (w *World) method(o *goja.Object, name *goja.Symbol) goja.Callable {
	v := o.GetSymbol(name)
	if isNullish(v) {
		return nil
	}
	f, ok := goja.AssertFunction(v)
	if !ok {
		panic(w.vm.NewTypeError(name.String() + " is not a function"))
	}
	return f
}

// call calls a function, and throws what it throws.
func (w *World) call(f goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := f(this, args...)
	w.must(err)
	return v
}

// advance is the standard's AdvanceStringIndex.
func advance(s goja.String, at int64, points bool) int64 {
	if points && at+1 < int64(s.Length()) && s.CharAt(int(at))>>10 == 0xd800>>10 && s.CharAt(int(at)+1)>>10 == 0xdc00>>10 {
		return at + 2
	}
	return at + 1
}
