package web

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dop251/goja"
)

// numbers adds what reads and writes numbers: readUInt16LE and the like, for every kind and
// both orders of bytes.
func (b *buffers) numbers() {
	for _, signed := range []bool{false, true} {
		kind := map[bool]string{false: "UInt", true: "Int"}[signed]
		b.both(kind+"8", b.reader(1, true, signed), b.writer(1, true, signed))
		for _, little := range []bool{true, false} {
			end := map[bool]string{true: "LE", false: "BE"}[little]
			b.both(kind+"16"+end, b.reader(2, little, signed), b.writer(2, little, signed))
			b.both(kind+"32"+end, b.reader(4, little, signed), b.writer(4, little, signed))
			b.both(kind+end, b.reader(0, little, signed), b.writer(0, little, signed))
			b.both("Big"+kind+"64"+end, b.bigReader(little, signed), b.bigWriter(little, signed))
		}
	}
	for _, little := range []bool{true, false} {
		end := map[bool]string{true: "LE", false: "BE"}[little]
		b.both("Float"+end, b.floatReader(4, little), b.floatWriter(4, little))
		b.both("Double"+end, b.floatReader(8, little), b.floatWriter(8, little))
	}
}

// both adds a pair of methods, under both spellings of unsigned ones.
func (b *buffers) both(kind string, read, write function) {
	b.method(b.proto, "read"+kind, 1, read)
	b.method(b.proto, "write"+kind, 2, write)
	if strings.Contains(kind, "UInt") {
		other := strings.Replace(kind, "UInt", "Uint", 1)
		_ = b.proto.Set("read"+other, b.proto.Get("read"+kind))
		_ = b.proto.Set("write"+other, b.proto.Get("write"+kind))
	}
}

// at are the n bytes at an offset. required is the offset that has no default.
func (b *buffers) at(data []byte, offset goja.Value, n int, required bool) ([]byte, int) {
	offset = b.place(offset, required)
	at, most := offset.ToFloat(), len(data)-n
	switch {
	case at != math.Trunc(at):
		b.outOfRange("offset", "an integer", offset)
	case most < 0:
		b.fail("RangeError", "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds")
	case at < 0 || at > float64(most):
		b.outOfRange("offset", fmt.Sprintf(">= 0 and <= %d", most), offset)
	}
	return data[int(at) : int(at)+n], int(at)
}

// place is the argument offset, a number.
func (b *buffers) place(v goja.Value, required bool) goja.Value {
	if goja.IsUndefined(v) && !required {
		return b.vm.ToValue(0)
	}
	if !isNumber(v) {
		b.wrongType("offset", "of type number", v)
	}
	return v
}

// width is the argument byteLength, of 1 to 6.
func (b *buffers) width(v goja.Value) int {
	if !isNumber(v) {
		b.wrongType("byteLength", "of type number", v)
	}
	n := v.ToFloat()
	if n != math.Trunc(n) {
		b.outOfRange("byteLength", "an integer", v)
	}
	if n < 1 || n > 6 {
		b.outOfRange("byteLength", ">= 1 and <= 6", v)
	}
	return int(n)
}

// load reads bytes as an unsigned number.
func load(data []byte, little bool) (n uint64) {
	for i := range data {
		if little {
			n |= uint64(data[i]) << (8 * i)
		} else {
			n = n<<8 | uint64(data[i])
		}
	}
	return n
}

func store(data []byte, little bool, n uint64) {
	for i := range data {
		if little {
			data[i] = byte(n >> (8 * i))
		} else {
			data[len(data)-1-i] = byte(n >> (8 * i))
		}
	}
}

// reader reads integers of n bytes, or of as many as the second argument says if n is 0.
func (b *buffers) reader(n int, little, signed bool) function {
	return func(f goja.FunctionCall) goja.Value {
		self, size := b.self(f), n
		if n == 0 {
			if goja.IsUndefined(f.Argument(0)) {
				b.wrongType("offset", "of type number", f.Argument(0))
			}
			size = b.width(f.Argument(1))
		}
		data, _ := b.at(self, f.Argument(0), size, n == 0)
		value := int64(load(data, little))
		if signed {
			shift := 64 - 8*size
			value = value << shift >> shift
		}
		return b.vm.ToValue(value)
	}
}

func (b *buffers) writer(n int, little, signed bool) function {
	return func(f goja.FunctionCall) goja.Value {
		self, size := b.self(f), n
		value := f.Argument(0).ToNumber()
		if n == 0 {
			size = b.width(f.Argument(2))
		}
		if size == 1 { // where Node looks at it before the value
			b.place(f.Argument(1), n == 0)
		}
		least, most := 0.0, math.Ldexp(1, 8*size)-1
		if signed {
			least, most = -math.Ldexp(1, 8*size-1), math.Ldexp(1, 8*size-1)-1
		}
		if x := value.ToFloat(); x < least || x > most {
			b.outOfRange("value", fmt.Sprintf(">= %.0f and <= %.0f", least, most), value)
		}
		data, at := b.at(self, f.Argument(1), size, n == 0)
		store(data, little, uint64(toInteger(value)))
		return b.vm.ToValue(at + size)
	}
}

func (b *buffers) bigReader(little, signed bool) function {
	return func(f goja.FunctionCall) goja.Value {
		data, _ := b.at(b.self(f), f.Argument(0), 8, false)
		n := load(data, little)
		if signed {
			return b.vm.ToValue(big.NewInt(int64(n)))
		}
		return b.vm.ToValue(new(big.Int).SetUint64(n))
	}
}

func (b *buffers) bigWriter(little, signed bool) function {
	return func(f goja.FunctionCall) goja.Value {
		self := b.self(f)
		var value *big.Int
		if _, object := f.Argument(0).(*goja.Object); !object {
			value, _ = f.Argument(0).Export().(*big.Int)
		}
		fits, limits := value == nil || value.IsUint64(), ">= 0n and < 2n ** 64n"
		least, end := 0.0, math.Ldexp(1, 64)
		if signed {
			fits, limits = value == nil || value.IsInt64(), ">= -(2n ** 63n) and < 2n ** 63n"
			least, end = -math.Ldexp(1, 63), math.Ldexp(1, 63)
		}
		if x := f.Argument(0); isNumber(x) { // it is wrong, but is compared first
			fits = !(x.ToFloat() < least || x.ToFloat() >= end)
		}
		if !fits {
			b.outOfRange("value", limits, f.Argument(0))
		}
		data, at := b.at(self, f.Argument(1), 8, false)
		if value == nil {
			panic(b.vm.NewTypeError("Cannot mix BigInt and other types, use explicit conversions"))
		}
		n := value.Uint64()
		if signed {
			n = uint64(value.Int64())
		}
		store(data, little, n)
		return b.vm.ToValue(at + 8)
	}
}

func (b *buffers) floatReader(n int, little bool) function {
	return func(f goja.FunctionCall) goja.Value {
		data, _ := b.at(b.self(f), f.Argument(0), n, false)
		bits := load(data, little)
		if n == 4 {
			return b.vm.ToValue(float64(math.Float32frombits(uint32(bits))))
		}
		return b.vm.ToValue(math.Float64frombits(bits))
	}
}

func (b *buffers) floatWriter(n int, little bool) function {
	return func(f goja.FunctionCall) goja.Value {
		self := b.self(f)
		value := f.Argument(0).ToNumber().ToFloat()
		data, at := b.at(self, f.Argument(1), n, false)
		switch {
		case n == 4 && math.IsNaN(value):
			store(data, little, 0x7fc00000)
		case n == 4:
			store(data, little, uint64(math.Float32bits(float32(value))))
		case math.IsNaN(value):
			store(data, little, 0x7ff8<<48) // that of Go has a bit more
		default:
			store(data, little, math.Float64bits(value))
		}
		return b.vm.ToValue(at + n)
	}
}
