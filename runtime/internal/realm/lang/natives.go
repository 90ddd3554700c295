package lang

import (
	"math"
	"math/big"
	"reflect"
	"strconv"

	"github.com/dop251/goja"
)

// numberNatives are the natives of numbers.js.
func numberNatives(vm *goja.Runtime, _ func() bool) *goja.Object {
	return object(vm, map[string]any{
		"f16round": func(f goja.FunctionCall) goja.Value {
			return vm.ToValue(fromHalf(toHalf(f.Argument(0).ToNumber().ToFloat())))
		},
		"toHalf": func(f goja.FunctionCall) goja.Value {
			return vm.ToValue(int64(toHalf(f.Argument(0).ToNumber().ToFloat())))
		},
		"fromHalf": func(f goja.FunctionCall) goja.Value { return vm.ToValue(fromHalf(uint16(f.Argument(0).ToInteger()))) }, //nolint:gosec // 16 bits of a DataView
		"adder": func(goja.FunctionCall) goja.Value {
			total := newSum()
			return vm.ToValue(func(f goja.FunctionCall) goja.Value {
				list := f.Argument(0).ToObject(vm)
				for i := range list.Get("length").ToInteger() {
					total.add(list.Get(strconv.FormatInt(i, 10)).ToFloat())
				}
				return vm.ToValue(total.value())
			})
		},
	})
}

var bufferType = reflect.TypeFor[goja.ArrayBuffer]()

// bufferNatives are the natives of buffers.js.
func bufferNatives(vm *goja.Runtime, _ func() bool) *goja.Object {
	bufferOf := func(f goja.FunctionCall) (goja.ArrayBuffer, bool) {
		object, ok := f.Argument(0).(*goja.Object)
		if !ok || object.ExportType() != bufferType {
			return goja.ArrayBuffer{}, false
		}
		buffer, ok := object.Export().(goja.ArrayBuffer)
		return buffer, ok
	}
	return object(vm, map[string]any{
		"is":       func(f goja.FunctionCall) goja.Value { _, ok := bufferOf(f); return vm.ToValue(ok) },
		"detached": func(f goja.FunctionCall) goja.Value { b, _ := bufferOf(f); return vm.ToValue(b.Detached()) },
		"detach": func(f goja.FunctionCall) goja.Value {
			b, ok := bufferOf(f)
			return vm.ToValue(ok && b.Detach())
		},
	})
}

var proxyType = reflect.TypeFor[goja.Proxy]()

// proxyNatives are the natives of proxied.js.
func proxyNatives(vm *goja.Runtime, _ func() bool) *goja.Object {
	return object(vm, map[string]any{
		"isProxied": func(f goja.FunctionCall) goja.Value {
			object, _ := f.Argument(0).(*goja.Object)
			for ; object != nil; object = object.Prototype() {
				if object.ExportType() == proxyType {
					return vm.ToValue(true)
				}
			}
			return vm.ToValue(false)
		},
	})
}

func object(vm *goja.Runtime, members map[string]any) *goja.Object {
	o := vm.NewObject()
	for name, member := range members {
		_ = o.Set(name, member) // of a new object
	}
	return o
}

// toHalf rounds a number to a half float, ties to even.
func toHalf(x float64) uint16 {
	bits := math.Float64bits(x)
	sign := uint16(bits >> 48 & 0x8000)
	switch abs := math.Abs(x); {
	case math.IsNaN(x):
		return 0x7e00
	case abs >= 65520:
		return sign | 0x7c00
	case abs < 0x1p-14: // subnormal: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(abs*0x1p24))
	default:
		fraction, exponent := math.Frexp(abs) // in [0.5, 1)
		mantissa := uint16(math.RoundToEven(fraction*0x1p11)) - 0x400
		return sign | (uint16(exponent+14)<<10 + mantissa) //nolint:gosec // -13 to 16
	}
}

func fromHalf(bits uint16) float64 {
	exponent, mantissa := int(bits>>10&0x1f), float64(bits&0x3ff)
	var x float64
	switch {
	case exponent == 0x1f && mantissa != 0:
		return math.NaN()
	case exponent == 0x1f:
		x = math.Inf(1)
	case exponent == 0:
		x = mantissa * 0x1p-24
	default:
		x = math.Ldexp(1+mantissa/0x400, exponent-15)
	}
	if bits&0x8000 != 0 {
		return math.Copysign(x, -1)
	}
	return x
}

// sum adds numbers as if it rounded once. That of none is -0.
type sum struct {
	finite                  *big.Float
	infinite                float64 // an infinity that was added
	notNumber, notMinusZero bool
}

// newSum takes so many bits that nothing is rounded: a number has them from 2^1023 to
// 2^-1074, and 2^53 may be added.
func newSum() *sum { return &sum{finite: new(big.Float).SetPrec(2200)} }

func (s *sum) add(x float64) {
	s.notMinusZero = s.notMinusZero || x != 0 || !math.Signbit(x)
	switch {
	case math.IsNaN(x), math.IsInf(x, 0) && s.infinite == -x:
		s.notNumber = true
	case math.IsInf(x, 0):
		s.infinite = x
	default:
		s.finite.Add(s.finite, big.NewFloat(x))
	}
}

func (s *sum) value() float64 {
	result, _ := s.finite.Float64()
	switch {
	case s.notNumber:
		return math.NaN()
	case s.infinite != 0:
		return s.infinite
	case !s.notMinusZero:
		return math.Copysign(0, -1)
	case result == 0:
		return 0
	default:
		return result
	}
}
