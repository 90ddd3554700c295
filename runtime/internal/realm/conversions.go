package realm

import (
	"math"
	"math/big"
	"strings"

	"github.com/dop251/goja"
)

// The engine's conversions of large numbers, and ours.

// wordOf is the remainder of a number that its lowest 32 bits are, with a sign; 0 of what is none.
func wordOf(n float64) int64 {
	if math.Abs(n) < 1<<63 {
		return int64(n) % wordSize
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return int64(math.Mod(n, float64(wordSize)))
}

// numeric is a value as a number or a BigInt, as the language makes it.
func (r *Realm) numeric(v goja.Value) goja.Value {
	switch o := v.(type) {
	case *goja.Object:
		v = r.primitive(o)
	case nil:
		return goja.NaN()
	}
	if text, ok := v.(goja.String); ok {
		return r.numberOf(text)
	}
	if v.ExportType() == bigIntType {
		return v
	}
	return v.ToNumber() // throws at symbols
}

// number is a value as a number; it throws at a BigInt.
func (r *Realm) number(v goja.Value) float64 {
	if isNumeric(v) {
		return v.ToFloat()
	}
	return r.numeric(v).ToFloat()
}

// primitive is what an object makes a number of.
func (r *Realm) primitive(o *goja.Object) goja.Value {
	made := func(f goja.Value, arguments ...goja.Value) (goja.Value, bool) {
		method, ok := goja.AssertFunction(f)
		if !ok {
			return nil, false
		}
		value := must(method(o, arguments...))
		_, object := value.(*goja.Object)
		return value, !object
	}
	if exotic := o.GetSymbol(goja.SymToPrimitive); !isNothing(exotic) {
		value, ok := made(exotic, r.vm.ToValue("number"))
		if !ok {
			panic(r.newError("TypeError", "Cannot convert object to primitive value"))
		}
		return value
	}
	for _, name := range []string{"valueOf", "toString"} {
		if value, ok := made(o.Get(name)); ok {
			return value
		}
	}
	panic(r.newError("TypeError", "Cannot convert object to primitive value"))
}

// longNumber reads a text in base 16, 8 or 2 of more than 62 bits, which the engine does not.
func longNumber(text goja.String) (n float64, ok bool) {
	const short = len("0x") + 15 // characters that are never too many bits
	if text.Length() <= short {
		return 0, false
	}
	digits := strings.Trim(text.String(), whitespace)
	if len(digits) <= short || digits[0] != '0' {
		return 0, false
	}
	base, allowed := 2, "01"
	switch digits[1] | 0x20 {
	case 'x':
		base, allowed = 16, "0123456789abcdefABCDEF"
	case 'o':
		base, allowed = 8, "01234567"
	case 'b':
	default:
		return 0, false
	}
	if digits = digits[2:]; strings.Trim(digits, allowed) != "" {
		return 0, false
	}
	whole, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return 0, false
	}
	return floatOf(whole), true
}

// floatOf is the nearest number to an integer.
func floatOf(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// bigIntOf is the value of a BigInt.
func bigIntOf(v goja.Value) (*big.Int, bool) {
	if v == nil || v.ExportType() != bigIntType {
		return nil, false
	}
	n, ok := v.Export().(*big.Int)
	return n, ok
}
