package realm

import (
	"math"
	"math/big"
	"math/bits"
	"reflect"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// numbers are the functions of the engine that get large numbers wrong.
var numbers = []namedMending{
	{sizedFunction{"Math", "imul", false}, "", imul},
	{sizedFunction{"Math", "clz32", false}, "", clz32},
	{sizedFunction{"Math", "pow", false}, "Math", powerOf},
	{sizedFunction{"String", "fromCharCode", false}, "", fromCharCode},
	{sizedFunction{"String", "split", true}, "", narrowed},
	{sizedFunction{"DataView", "setInt8", true}, "", narrowed},
	{sizedFunction{"DataView", "setUint8", true}, "", narrowed},
	{sizedFunction{"DataView", "setInt16", true}, "", narrowed},
	{sizedFunction{"DataView", "setUint16", true}, "", narrowed},
	{sizedFunction{"DataView", "setInt32", true}, "", narrowed},
	{sizedFunction{"DataView", "setUint32", true}, "", narrowed},
	{sizedFunction{"DataView", "setFloat64", true}, "", canonicalNaN},
	{sizedFunction{typedArray, "fill", true}, "Array", storedAt(0)},
	{sizedFunction{typedArray, "fill", true}, "BigInt64", fillSigned},
	{sizedFunction{typedArray, "with", true}, "Array", storedAt(1)},
}

func imul(r *Realm, _ goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		a := wordOf(r.number(call.Argument(0)))
		b := wordOf(r.number(call.Argument(1)))
		return r.vm.ToValue(int32(a) * int32(b))
	}
}

func clz32(r *Realm, _ goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		return r.vm.ToValue(bits.LeadingZeros32(uint32(wordOf(r.number(call.Argument(0))))))
	}
}

func fromCharCode(r *Realm, _ goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		units := make([]uint16, len(call.Arguments))
		for i, v := range call.Arguments {
			units[i] = uint16(wordOf(r.number(v)))
		}
		return goja.StringFromUTF16(units)
	}
}

// narrowed is a function that takes 32 bits or fewer of its second argument.
func narrowed(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		if len(call.Arguments) > 1 {
			call.Arguments = r.narrowedOf(call.Arguments, 1)
		}
		return must(original(call.This, call.Arguments...))
	}
}

// narrowedOf gives arguments of which one is narrowed, unless that is an object: it can say what
// it is when the engine asks.
func (r *Realm) narrowedOf(arguments []goja.Value, at int) []goja.Value {
	v := arguments[at]
	if text, ok := v.(goja.String); ok {
		v = r.numberOf(text)
	}
	if isNumeric(v) && math.Abs(v.ToFloat()) >= 1<<63 {
		return with(arguments, at, r.vm.ToValue(wordOf(v.ToFloat())))
	}
	return arguments
}

// with gives arguments with another one at a place.
func with(arguments []goja.Value, at int, v goja.Value) []goja.Value {
	changed := append([]goja.Value(nil), arguments...)
	changed[at] = v
	return changed
}

// canonicalNaN stores NaN as others do: that of Go has one more bit.
func canonicalNaN(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	prototype := r.vm.Get("DataView").(*goja.Object).Get("prototype").(*goja.Object)
	store, _ := directly(prototype.Get("setBigUint64"))
	nan := r.vm.ToValue(new(big.Int).SetUint64(0x7ff8 << 48))
	return func(call goja.FunctionCall) goja.Value {
		if v := call.Argument(1); isNumeric(v) && math.IsNaN(v.ToFloat()) || goja.IsUndefined(v) {
			return must(store(call.This, call.Argument(0), nan, call.Argument(2)))
		}
		return must(original(call.This, call.Arguments...))
	}
}

// storedAt is a function of typed arrays that stores an argument. Those of numbers that are no
// integers, or that take large ones for the largest, are right.
func storedAt(at int) func(*Realm, goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			if at < len(call.Arguments) && !isNothing(call.This) {
				switch name := nameOfArray(call.This); {
				case wordArrays[unistring.NewFromString(name)]:
					call.Arguments = r.narrowedOf(call.Arguments, at)
				case name == "Float32Array", name == "Float64Array":
					if text, ok := call.Arguments[at].(goja.String); ok {
						call.Arguments = with(call.Arguments, at, r.numberOf(text))
					}
				}
			}
			return must(original(call.This, call.Arguments...))
		}
	}
}

// nameOfArray is the name of the class of a typed array; empty of what is none.
func nameOfArray(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok && o.ExportType() != proxyType && o.ExportType().Kind() == reflect.Slice {
		if tag := o.GetSymbol(goja.SymToStringTag); tag != nil {
			return tag.String()
		}
	}
	return ""
}

// fillSigned is fill of typed arrays, which loses the sign of BigInts.
func fillSigned(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	signed, _ := directly(r.vm.Get("BigInt").(*goja.Object).Get("asIntN"))
	return func(call goja.FunctionCall) goja.Value {
		o, ok := call.This.(*goja.Object)
		if !ok || o.ExportType() != int64sType {
			return must(original(call.This, call.Arguments...))
		}
		n, _ := bigIntOf(must(signed(goja.Undefined(), r.vm.ToValue(64), call.Argument(0))))
		list, _ := elementsOf(o).([]int64)
		from, to := r.relative(call.Argument(1), len(list)), len(list)
		if end := call.Argument(2); !goja.IsUndefined(end) {
			to = r.relative(end, len(list))
		}
		must(original(call.This, r.vm.ToValue(new(big.Int)), r.vm.ToValue(from), r.vm.ToValue(to))) // throws if it is detached by now
		list, _ = elementsOf(o).([]int64)
		for i := from; i < min(to, len(list)); i++ {
			list[i] = n.Int64()
		}
		return call.This
	}
}

// relative is a place in a list, where what is negative counts from the end.
func (r *Realm) relative(v goja.Value, length int) int {
	at := math.Trunc(r.number(v))
	switch {
	case math.IsNaN(at):
		return 0
	case at < 0:
		return int(math.Max(at+float64(length), 0))
	}
	return int(math.Min(at, float64(length)))
}
