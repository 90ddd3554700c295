package realm

import (
	"math"

	"github.com/dop251/goja"
)

// typedArray is the owner that no global names: what the classes of typed arrays inherit from.
const typedArray = "TypedArray"

// zeroes are the functions of the engine that get the sign of zero, or of other numbers, wrong.
var zeroes = []namedMending{
	{sizedFunction{"Array", "sort", true}, "", sortArray},
	{sizedFunction{"Array", "toSorted", true}, "", toSortedArray},
	{sizedFunction{typedArray, "sort", true}, "", sortTyped(false)},
	{sizedFunction{typedArray, "toSorted", true}, "", sortTyped(true)},
	{sizedFunction{"Array", "includes", true}, "", includesZero},
	{sizedFunction{typedArray, "includes", true}, "Array", found(false, func(at int) any { return at >= 0 })},
	{sizedFunction{typedArray, "indexOf", true}, "Array", found(false, func(at int) any { return at })},
	{sizedFunction{typedArray, "lastIndexOf", true}, "Array", found(true, func(at int) any { return at })},
	{sizedFunction{"Math", "sign", false}, "Math", sign},
	{sizedFunction{"String", "fromCodePoint", false}, "", fromCodePoint},
	{sizedFunction{"globalThis", "parseInt", false}, "", parseInt},
	{sizedFunction{"Number", "toString", true}, "", unsigned},
	{sizedFunction{"Number", "toPrecision", true}, "", unsigned},
	{sizedFunction{"Number", "toExponential", true}, "", unsigned},
}

// unsigned is a function that writes a number. The engine loses the sign of fractions in other
// bases, and writes some powers of ten with a sign wrong.
func unsigned(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	valueOf, _ := directly(r.vm.Get("Number").(*goja.Object).Get("prototype").(*goja.Object).Get("valueOf"))
	return func(call goja.FunctionCall) goja.Value {
		this := call.This
		if o, ok := this.(*goja.Object); ok && o.ClassName() == "Number" {
			this = must(valueOf(o))
		}
		if isNumeric(this) && this.ToFloat() < 0 {
			text := must(original(r.vm.ToValue(-this.ToFloat()), call.Arguments...))
			return r.vm.ToValue("-" + text.String())
		}
		return must(original(this, call.Arguments...))
	}
}

// isZero reports whether a value is a number that is zero, of either sign.
func isZero(v goja.Value) bool { return isNumeric(v) && v.ToFloat() == 0 }

// searches finds a zero in what is no plain array. It asks for every element, as includes does.
var searches = program("searches", `(() => {
	const { min, max, trunc } = Math;
	const find = (list, length, from) => {
		if (!(length > 0)) return -1;
		let at = trunc(+from) || 0;
		for (at = at < 0 ? max(at + length, 0) : at; at < length; at++) if (list[at] === 0) return at;
		return -1;
	};
	return (list, from) => find(list, min(trunc(+list.length) || 0, 9007199254740991), from) >= 0;
})()`)

// includesZero is includes of arrays.
func includesZero(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	list, err := r.function(searches()) // before the script can change what it uses
	if err != nil {
		panic(err)
	}
	indexOf, _ := directly(r.vm.Get("Array").(*goja.Object).Get("prototype").(*goja.Object).Get("indexOf"))
	return func(call goja.FunctionCall) goja.Value {
		if !isZero(call.Argument(0)) || isNothing(call.This) {
			return must(original(call.This, call.Arguments...))
		}
		if o, ok := call.This.(*goja.Object); ok && o.ClassName() == "Array" && o.ExportType() != proxyType { // the same, and fast
			return r.vm.ToValue(must(indexOf(o, call.Arguments...)).ToInteger() >= 0)
		}
		return must(list(goja.Undefined(), call.This.ToObject(r.vm), call.Argument(1)))
	}
}

// sign is Math.sign, for which the engine returns what it got.
func sign(r *Realm, _ goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		x := r.number(call.Argument(0))
		if math.IsNaN(x) || x == 0 {
			return r.vm.ToValue(x)
		}
		return r.vm.ToValue(math.Copysign(1, x))
	}
}

// fromCodePoint makes 0 of -0, which the engine refuses.
func fromCodePoint(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		points := make([]goja.Value, len(call.Arguments))
		for i, v := range call.Arguments {
			if points[i] = v; isZero(v) || isText(v) && r.number(v) == 0 {
				points[i] = r.vm.ToValue(0)
			}
		}
		return must(original(call.This, points...))
	}
}
