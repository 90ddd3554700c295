package web

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/dop251/goja"
)

// texts adds what turns bytes into text and back, and what cuts, copies and fills.
func (b *buffers) texts() {
	set := func(name string, length int, f function) { b.method(b.proto, name, length, f) }
	set("toString", 3, b.toString)
	_ = b.proto.Set("toLocaleString", b.proto.Get("toString"))
	set("write", 4, b.write)
	set("toJSON", 0, func(f goja.FunctionCall) goja.Value {
		data := b.self(f)
		b.room(int64(len(data)) * 16)
		items := make([]any, len(data))
		for i, c := range data {
			items[i] = int64(c)
		}
		out := b.vm.NewObject()
		_ = out.Set("type", "Buffer")
		_ = out.Set("data", b.vm.NewArray(items...))
		return out
	})
	set("slice", 2, b.slice)
	set("subarray", 2, b.slice)
	set("fill", 4, b.fillCall)
	set("copy", 4, b.copyTo)
	for _, n := range []int{2, 4, 8} {
		set(fmt.Sprintf("swap%d", 8*n), 0, func(f goja.FunctionCall) goja.Value {
			data := b.self(f)
			if len(data)%n != 0 {
				b.fail("RangeError", "ERR_INVALID_BUFFER_SIZE", fmt.Sprintf("Buffer size must be a multiple of %d-bits", 8*n))
			}
			for at := 0; at < len(data); at += n {
				for i := range n / 2 {
					data[at+i], data[at+n-1-i] = data[at+n-1-i], data[at+i]
				}
			}
			return f.This
		})
	}
	set("inspect", 0, func(f goja.FunctionCall) goja.Value { return b.vm.ToValue(inspectBytes(b.self(f))) })
	for name, of := range map[string]string{"parent": "buffer", "offset": "byteOffset"} {
		get := b.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			b.self(f)
			return property(f.This.ToObject(b.vm), of)
		})
		_ = b.proto.DefineAccessorProperty(name, get, nil, goja.FLAG_FALSE, goja.FLAG_TRUE)
	}
}

// IsBuffer reports whether an object is a Buffer.
func (w *World) IsBuffer(object *goja.Object) bool {
	made, ok := w.made[globals()["Buffer"]]
	if !ok {
		return false
	}
	ctor, ok := made.Get("Buffer").(*goja.Object)
	return ok && w.vm.InstanceOf(object, ctor)
}

// InspectBytes shows a Uint8Array as Node shows a Buffer.
func InspectBytes(object *goja.Object) string { return inspectBytes(bytesOf(object)) }

// inspectBytes shows the first bytes, as Node does.
func inspectBytes(data []byte) string {
	const most = 50
	var out strings.Builder
	out.WriteString("<Buffer")
	for _, c := range data[:min(len(data), most)] {
		fmt.Fprintf(&out, " %02x", c)
	}
	if more := len(data) - most; more == 1 {
		out.WriteString(" ... 1 more byte")
	} else if more > 1 {
		fmt.Fprintf(&out, " ... %d more bytes", more)
	}
	return out.String() + ">"
}

func (b *buffers) toString(f goja.FunctionCall) goja.Value {
	data := b.self(f)
	encoding := charset("utf8")
	if name := f.Argument(0); !goja.IsUndefined(name) {
		if encoding = charsetNamed(name.String()); encoding == "" {
			b.fail("TypeError", "ERR_UNKNOWN_ENCODING", "Unknown encoding: "+name.String())
		}
	}
	start, end := 0, len(data)
	if v := f.Argument(1); !goja.IsUndefined(v) {
		start = int(max(0, min(whole(v), float64(len(data)))))
	}
	if v := f.Argument(2); !goja.IsUndefined(v) {
		end = int(max(0, min(whole(v), float64(len(data)))))
	}
	if start >= end {
		return b.vm.ToValue("")
	}
	if n := int64(end-start) * encoding.expansion(); n > b.host.Room() {
		b.fail("Error", "ERR_STRING_TOO_LONG", fmt.Sprintf("a text of %d bytes does not fit into the memory of the run", n))
	}
	return b.vm.ToValue(encoding.text(data[start:end]))
}

// whole is a number without its fraction; 0 if it is none.
func whole(v goja.Value) float64 {
	n := math.Trunc(v.ToNumber().ToFloat())
	if math.IsNaN(n) {
		return 0
	}
	return n
}

// slice shares the bytes.
func (b *buffers) slice(f goja.FunctionCall) goja.Value {
	length := len(b.self(f))
	start := clamped(f.Argument(0), length, 0)
	end := clamped(f.Argument(1), length, length)
	this := f.This.ToObject(b.vm)
	from := property(this, "byteOffset").ToInteger() + int64(start)
	made, err := b.construct(b.ctor, property(this, "buffer"), b.vm.ToValue(from), b.vm.ToValue(max(end-start, 0)))
	if err != nil {
		panic(err)
	}
	return made
}

func (b *buffers) write(f goja.FunctionCall) goja.Value {
	data := b.self(f)
	text, offset, length, encoding := f.Argument(0), f.Argument(1), f.Argument(2), f.Argument(3)
	if !isString(text) {
		b.fail("TypeError", "ERR_INVALID_ARG_TYPE", "argument must be a string")
	}
	from, room := 0, len(data)
	switch {
	case goja.IsUndefined(offset):
	case goja.IsUndefined(length) && isString(offset):
		encoding = offset
	default:
		from = b.integer(offset, "offset", len(data))
		room = len(data) - from
		if isString(length) {
			encoding = length
		} else if !goja.IsUndefined(length) {
			room = min(room, b.integer(length, "length", len(data)))
		}
	}
	c := b.charset(encoding)
	into := data[from : from+room]
	if c == "utf8" {
		_, n := encodeInto(scalarText(text), into)
		return b.vm.ToValue(n)
	}
	if c == "utf16le" {
		into = into[:len(into)/2*2]
	}
	return b.vm.ToValue(copy(into, c.bytes(text)))
}

// fillCall is fill(value, offset, end, encoding), where each but the first may be left out.
func (b *buffers) fillCall(f goja.FunctionCall) goja.Value {
	data := b.self(f)
	value, offset, end, encoding := f.Argument(0), f.Argument(1), f.Argument(2), f.Argument(3)
	if isString(value) {
		switch {
		case goja.IsUndefined(offset) || isString(offset):
			encoding, offset, end = offset, goja.Undefined(), goja.Undefined()
		case isString(end):
			encoding, end = end, goja.Undefined()
		}
	}
	from, to := 0, len(data)
	if !goja.IsUndefined(offset) {
		from = b.integer(offset, "offset", math.MaxInt32)
		if !goja.IsUndefined(end) {
			to = b.integer(end, "end", len(data))
		}
	}
	if from < to {
		b.fill(data[from:to], value, encoding)
	} else if isString(value) {
		b.charset(encoding)
	}
	return f.This
}

// fill repeats a number, a text or bytes.
func (b *buffers) fill(data []byte, value, encoding goja.Value) {
	var pattern []byte
	object, isObject := value.(*goja.Object)
	switch {
	case isString(value):
		pattern = b.charset(encoding).bytes(value)
		if value.String() == "" {
			pattern = []byte{0}
		}
	case isObject && object.ExportType() == bytesType:
		pattern = bytes.Clone(bytesOf(object)) // it may be the same bytes
	default:
		pattern = []byte{byte(toInteger(value))}
	}
	if len(pattern) == 0 {
		b.fail("TypeError", "ERR_INVALID_ARG_VALUE", "The argument 'value' is invalid. Received "+describe(value))
	}
	for n := copy(data, pattern); n < len(data); {
		n += copy(data[n:], data[:n])
	}
}

func (b *buffers) copyTo(f goja.FunctionCall) goja.Value {
	source, target := b.self(f), b.uint8(f.Argument(0), "target")
	at := b.offset(f.Argument(1), "targetStart", 0, math.MaxInt32)
	from := b.offset(f.Argument(2), "sourceStart", 0, len(source))
	to := b.offset(f.Argument(3), "sourceEnd", len(source), math.MaxInt32)
	if at >= len(target) || from >= to {
		return b.vm.ToValue(0)
	}
	return b.vm.ToValue(copy(target[at:], source[from:min(to, len(source))]))
}

// offset is an index that is converted, and must not be negative.
func (b *buffers) offset(v goja.Value, name string, missing, most int) int {
	if goja.IsUndefined(v) {
		return missing
	}
	n := whole(v)
	if n < 0 || name == "sourceStart" && n > float64(most) {
		b.outOfRange(name, fmt.Sprintf(">= 0 && <= %d", most), v)
	}
	return int(min(n, float64(most)))
}
