package realm

import (
	"math"
	"strings"

	"github.com/dop251/goja"
)

// Functions of the engine read a text that is not ASCII as NaN or 0, also where it is a number
// between white space: isNaN("12\u00a0"). As a position they read "NaN" as the least integer, and
// "1e20" likewise. They are given numbers instead, in a realm whose program may give them texts.

// reading are functions that make numbers of some of their arguments.
type reading struct {
	owner     string
	prototype bool
	names     string
	at        []int // the arguments; nil is all
}

var readings = []reading{
	{"globalThis", false, "isNaN isFinite", []int{0}},
	{"Math", false, "abs acos acosh asin asinh atan atanh cbrt ceil cos cosh exp expm1 floor fround log log10 log1p log2 round sin sinh sqrt tan tanh trunc", []int{0}},
	{"Math", false, "atan2 pow", []int{0, 1}},
	{"Math", false, "hypot max min", nil},
	{"Number", true, "toFixed toString toPrecision toExponential", []int{0}},
	{"BigInt", true, "toString", []int{0}},
	{"String", true, "at charAt charCodeAt codePointAt repeat padStart padEnd", []int{0}},
	{"String", true, "slice substring substr", []int{0, 1}},
	{"String", true, "includes startsWith endsWith", []int{1}},
	{"Array", true, "at flat with", []int{0}},
	{"Array", true, "slice splice toSpliced", []int{0, 1}},
	{"Array", true, "fill", []int{1, 2}},
	{"Array", true, "copyWithin", []int{0, 1, 2}},
	{"Array", true, "indexOf lastIndexOf includes", []int{1}},
	{typedArray, true, "at with", []int{0}},
	{typedArray, true, "slice subarray", []int{0, 1}},
	{typedArray, true, "fill", []int{1, 2}},
	{typedArray, true, "copyWithin", []int{0, 1, 2}},
	{typedArray, true, "set indexOf lastIndexOf includes", []int{1}},
	{"ArrayBuffer", true, "slice", []int{0, 1}},
	{"DataView", true, "getInt8 getUint8 getInt16 getUint16 getInt32 getUint32 getFloat32 getFloat64 getBigInt64 getBigUint64", []int{0}},
	{"DataView", true, "setInt8 setUint8 setInt16 setUint16 setInt32 setUint32 setBigInt64 setBigUint64", []int{0}},
	{"DataView", true, "setFloat32 setFloat64", []int{0, 1}},
}

// readingsOf are the readings by the names of their functions.
var readingsOf = func() map[string][]reading {
	of := map[string][]reading{}
	for _, r := range readings {
		for name := range strings.FieldsSeq(r.names) {
			of[name] = append(of[name], r)
		}
	}
	return of
}()

// around is the function of the engine that gets numbers. Of functions that read nothing else an
// object becomes one too: of others it would be asked too early.
func (rd reading) around(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	objects := !rd.prototype
	return func(call goja.FunctionCall) goja.Value {
		arguments, copied := call.Arguments, false
		read := func(at int) {
			n := r.read(arguments[at], objects)
			if n == nil {
				return
			}
			if !copied { // they may be the elements of an array
				arguments, copied = append([]goja.Value(nil), arguments...), true
			}
			arguments[at] = n
		}
		if rd.at == nil {
			for at := range arguments {
				read(at)
			}
		}
		for _, at := range rd.at {
			if at < len(arguments) {
				read(at)
			}
		}
		return must(original(call.This, arguments...))
	}
}

// read makes a number of an argument; it is nil where the argument may stay.
func (r *Realm) read(v goja.Value, objects bool) goja.Value {
	switch v := v.(type) {
	case goja.String:
		return r.numberOf(v)
	case *goja.Object:
		if objects {
			return v.ToNumber()
		}
	}
	return nil
}

// numberOf is the number that a text is. The engine takes U+0085 for white space.
func (r *Realm) numberOf(text goja.String) goja.Value {
	if n, ok := longNumber(text); ok {
		return r.vm.ToValue(n)
	}
	n := text.ToNumber()
	if f := n.ToFloat(); !math.IsNaN(f) && strings.Contains(text.String(), "\u0085") {
		return goja.NaN()
	}
	return n
}
