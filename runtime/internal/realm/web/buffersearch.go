package web

import (
	"bytes"
	"math"

	"github.com/dop251/goja"
)

// searches adds what compares and finds.
func (b *buffers) searches() {
	set := func(name string, length int, f function) { b.method(b.proto, name, length, f) }
	set("equals", 1, func(f goja.FunctionCall) goja.Value {
		return b.vm.ToValue(bytes.Equal(b.self(f), b.uint8(f.Argument(0), "otherBuffer")))
	})
	set("compare", 5, func(f goja.FunctionCall) goja.Value {
		source, target := b.self(f), b.uint8(f.Argument(0), "target")
		index := func(i int, name string, missing, most int) int {
			if v := f.Argument(i); !goja.IsUndefined(v) {
				return b.integer(v, name, most)
			}
			return missing
		}
		t0, t1 := index(1, "targetStart", 0, math.MaxInt32), index(2, "targetEnd", len(target), len(target))
		s0, s1 := index(3, "sourceStart", 0, math.MaxInt32), index(4, "sourceEnd", len(source), len(source))
		return b.vm.ToValue(bytes.Compare(source[min(s0, s1):s1], target[min(t0, t1):t1]))
	})
	set("indexOf", 3, func(f goja.FunctionCall) goja.Value { return b.vm.ToValue(b.find(f, true)) })
	set("lastIndexOf", 3, func(f goja.FunctionCall) goja.Value { return b.vm.ToValue(b.find(f, false)) })
	set("includes", 3, func(f goja.FunctionCall) goja.Value { return b.vm.ToValue(b.find(f, true) >= 0) })
}

// find is where a number, a text or bytes are, or -1.
func (b *buffers) find(f goja.FunctionCall, forward bool) int {
	data := b.self(f)
	value, offset, encoding := f.Argument(0), f.Argument(1), f.Argument(2)
	if isString(offset) {
		encoding, offset = offset, goja.Undefined()
	}
	from := math.NaN()
	if !goja.IsUndefined(offset) {
		from = math.Trunc(offset.ToNumber().ToFloat())
	}
	if math.IsNaN(from) {
		if from = 0; !forward {
			from = float64(len(data))
		}
	}
	from = max(min(from, math.MaxInt32), -math.MaxInt32)
	c := charset("utf8")
	if !goja.IsUndefined(encoding) {
		c = b.charset(encoding)
	}
	var needle []byte
	object, isObject := value.(*goja.Object)
	switch {
	case isNumber(value):
		needle, c = []byte{byte(toInteger(value))}, "latin1"
	case isString(value):
		needle = c.bytes(value)
	case isObject && object.ExportType() == bytesType:
		needle = bytesOf(object)
	default:
		b.wrongType("value", "one of type number or string or an instance of Buffer or Uint8Array", value)
	}
	at := begin(len(data), int(from), len(needle), forward)
	switch {
	case len(needle) == 0:
		return at
	case at < 0 || len(needle) > len(data) || forward && at+len(needle) > len(data):
		return -1
	}
	step := 1
	if c == "utf16le" {
		if step = 2; len(needle) < 2 || len(data) < 2 {
			return -1
		}
	}
	return b.search(data, needle, at, step, forward)
}

// begin is where a search begins, as Node has it; -1 for nowhere.
func begin(length, offset, needle int, forward bool) int {
	switch {
	case offset < 0 && offset+length >= 0:
		return length + offset
	case offset < 0 && (forward || needle == 0):
		return 0
	case offset < 0:
		return -1
	case offset+needle <= length:
		return offset
	case needle == 0:
		return length
	case forward:
		return -1
	}
	return length - 1
}

// search finds a needle that begins at a multiple of step. It ends with the run: with matches
// that begin elsewhere it takes the product of the two lengths.
func (b *buffers) search(data, needle []byte, at, step int, forward bool) int {
	if forward {
		at = at / step * step
		for at+len(needle) <= len(data) && !b.host.Stopped() {
			i := bytes.Index(data[at:], needle)
			if i < 0 || (at+i)%step == 0 {
				if i < 0 {
					return -1
				}
				return at + i
			}
			at += i + 1
		}
		return -1
	}
	for end := min(at/step*step+len(needle), len(data)); !b.host.Stopped(); {
		i := bytes.LastIndex(data[:end], needle)
		if i < 0 || i%step == 0 {
			return i
		}
		end = i + len(needle) - 1
	}
	return -1
}
