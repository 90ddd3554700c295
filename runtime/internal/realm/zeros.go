package realm

import (
	"math"

	"github.com/dop251/goja"
)

// typedArray is the owner that no global names: what the classes of typed arrays inherit from.
const typedArray = "TypedArray"

// zeroes are the functions of the engine that get the sign of zero, or of other numbers, wrong.
var zeroes = []namedMending{
	{sizedFunction{"Array", "sort", true}, "", steadySort},
	{sizedFunction{"Array", "toSorted", true}, "", steadySort},
	{sizedFunction{typedArray, "sort", true}, "", steadySort},
	{sizedFunction{typedArray, "toSorted", true}, "", steadySort},
	{sizedFunction{"Array", "includes", true}, "", includesZero},
	{sizedFunction{typedArray, "includes", true}, "Float", typedIncludes},
	{sizedFunction{typedArray, "indexOf", true}, "Float", typedIndexOf},
	{sizedFunction{typedArray, "lastIndexOf", true}, "Float", typedLastIndexOf},
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
	return func(call goja.FunctionCall) goja.Value {
		if isNumeric(call.This) && call.This.ToFloat() < 0 {
			text := must(original(r.vm.ToValue(-call.This.ToFloat()), call.Arguments...))
			return r.vm.ToValue("-" + text.String())
		}
		return must(original(call.This, call.Arguments...))
	}
}

// steadyProgram makes a comparator that never returns -0, which the engine takes for less.
var steadyProgram = program("steady", `((compare) => (a, b) => +compare(a, b) || 0)`)

// steadySort is a function that takes a comparator.
func steadySort(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		if _, ok := goja.AssertFunction(call.Argument(0)); !ok {
			return must(original(call.This, call.Arguments...))
		}
		return must(original(call.This, r.must(steadyProgram(), call.Argument(0))))
	}
}

// isZero reports whether a value is a number that is zero, of either sign.
func isZero(v goja.Value) bool { return isNumeric(v) && v.ToFloat() == 0 }

// searches find a zero. That of proxies asks for every element, as includes does.
var searches = program("searches", `(() => {
	const { min, max, trunc } = Math, { apply } = Reflect, { indexOf } = Array.prototype;
	const size = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), "length").get;
	const find = (list, length, from) => {
		if (!(length > 0)) return -1;
		let at = trunc(+from) || 0;
		for (at = at < 0 ? max(at + length, 0) : at; at < length; at++) if (list[at] === 0) return at;
		return -1;
	};
	const findLast = (list, length, from, given) => {
		let at = given ? trunc(+from) || 0 : length - 1;
		for (at = at < 0 ? at + length : min(at, length - 1); at >= 0; at--) if (list[at] === 0) return at;
		return -1;
	};
	return {
		array: (list, from) => apply(indexOf, list, [0, from]) >= 0,
		list: (list, from) => find(list, min(trunc(+list.length) || 0, 9007199254740991), from) >= 0,
		size: (list) => apply(size, list, []), find, findLast,
	};
})()`)

// search takes one of the searches, before the script can change what they use.
func (r *Realm) search(name string) goja.Callable {
	all, err := r.vm.RunProgram(searches())
	if err != nil {
		panic(err)
	}
	f, _ := goja.AssertFunction(all.(*goja.Object).Get(name))
	return f
}

// includesZero is includes of arrays.
func includesZero(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	array, list := r.search("array"), r.search("list")
	return func(call goja.FunctionCall) goja.Value {
		if !isZero(call.Argument(0)) || isNothing(call.This) {
			return must(original(call.This, call.Arguments...))
		}
		find := list
		if o, ok := call.This.(*goja.Object); ok && o.ClassName() == "Array" && o.ExportType() != proxyType { // the same, and fast
			find = array
		}
		return must(find(goja.Undefined(), call.This.ToObject(r.vm), call.Argument(1)))
	}
}

// typedZero is a function of typed arrays that looks for an element.
func typedZero(r *Realm, original goja.Callable, last bool, answer func(at int64) any) func(goja.FunctionCall) goja.Value {
	size, find := r.search("size"), r.search("find")
	if last {
		find = r.search("findLast")
	}
	return func(call goja.FunctionCall) goja.Value {
		if !isZero(call.Argument(0)) {
			return must(original(call.This, call.Arguments...))
		}
		length := must(size(goja.Undefined(), call.This))
		if length.ToInteger() == 0 { // or it is detached
			return must(original(call.This, call.Arguments...))
		}
		at := must(find(goja.Undefined(), call.This, length, call.Argument(1), r.vm.ToValue(len(call.Arguments) > 1)))
		return r.vm.ToValue(answer(at.ToInteger()))
	}
}

func typedIncludes(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return typedZero(r, original, false, func(at int64) any { return at >= 0 })
}

func typedIndexOf(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return typedZero(r, original, false, func(at int64) any { return at })
}

func typedLastIndexOf(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return typedZero(r, original, true, func(at int64) any { return at })
}

// sign is Math.sign, for which the engine returns what it got.
func sign(r *Realm, _ goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		x := call.Argument(0).ToFloat()
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
			if points[i] = v; isZero(v) || isText(v) && v.ToFloat() == 0 {
				points[i] = r.vm.ToValue(0)
			}
		}
		return must(original(call.This, points...))
	}
}

// parseInt keeps the sign of zero.
func parseInt(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		text, ok := r.textOf(call.Argument(0))
		if !ok {
			return must(original(call.This, call.Arguments...))
		}
		radix := call.Argument(1)
		if n, ok := shortInteger(text); ok && (goja.IsUndefined(radix) || radix.ExportType() == integerType && radix.ToInteger() == 10) {
			return r.vm.ToValue(n)
		}
		number := must(original(call.This, text, radix))
		if isZero(number) {
			from, end := 0, text.Length()
			for from < end && isSpace(text.CharAt(from)) {
				from++
			}
			if from < end && text.CharAt(from) == '-' {
				return r.vm.ToValue(math.Copysign(0, -1))
			}
		}
		return number
	}
}

// shortInteger reads nothing but a few digits, which most texts of numbers are.
func shortInteger(text goja.String) (n int64, ok bool) {
	length := text.Length()
	if length == 0 || length > 15 {
		return 0, false
	}
	for i := range length {
		c := text.CharAt(i)
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
