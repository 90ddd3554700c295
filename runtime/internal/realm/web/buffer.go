package web

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/dop251/goja"
)

// buffers makes Buffer, of Node: a Uint8Array with encodings, numbers and searching.
type buffers struct {
	*World
	ctor, proto *goja.Object
	uint8Array  *goja.Object
	construct   goja.Constructor
}

func newBuffers(w *World) (*goja.Object, error) {
	b := &buffers{World: w}
	var ok bool
	if b.uint8Array, ok = w.vm.Get("Uint8Array").(*goja.Object); !ok {
		return nil, fmt.Errorf("the script replaced Uint8Array, which Buffer needs")
	}
	if b.construct, ok = goja.AssertConstructor(b.uint8Array); !ok {
		return nil, fmt.Errorf("the script replaced Uint8Array, which Buffer needs")
	}
	b.ctor = w.vm.ToValue(b.new).(*goja.Object)
	_ = b.ctor.DefineDataProperty("name", w.vm.ToValue("Buffer"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	b.proto = b.ctor.Get("prototype").(*goja.Object)
	above, ok := b.uint8Array.Get("prototype").(*goja.Object)
	if !ok {
		return nil, fmt.Errorf("the script replaced Uint8Array, which Buffer needs")
	}
	if err := b.proto.SetPrototype(above); err != nil {
		return nil, err
	}
	if err := b.ctor.SetPrototype(b.uint8Array); err != nil {
		return nil, err
	}
	b.statics()
	b.texts()
	b.numbers()
	b.searches()
	made := w.vm.NewObject()
	return made, made.Set("Buffer", b.ctor)
}

// wrap makes a Buffer of bytes, which it keeps.
func (b *buffers) wrap(data []byte) *goja.Object {
	object, err := b.construct(b.ctor, b.vm.ToValue(b.vm.NewArrayBuffer(data)))
	if err != nil {
		panic(err)
	}
	return object
}

// size is a number of bytes that may be made.
func (b *buffers) size(v goja.Value, name string) int {
	if !isNumber(v) {
		b.wrongType(name, "of type number", v)
	}
	n, most := v.ToFloat(), b.host.Room()
	if !(n >= 0 && n <= float64(most)) {
		b.outOfRange(name, fmt.Sprintf(">= 0 && <= %d, the memory of the run", most), v)
	}
	return int(n)
}

// room refuses what would take more bytes than one object may.
func (b *buffers) room(n int64) {
	if n > b.host.Room() {
		b.fail("RangeError", "ERR_OUT_OF_RANGE", fmt.Sprintf("%d bytes are more than the memory of the run, %d", n, b.host.Room()))
	}
}

// self are the bytes of this.
func (b *buffers) self(f goja.FunctionCall) []byte { return b.uint8(f.This, "this") }

// uint8 are the bytes of an argument that has to be a Uint8Array.
func (b *buffers) uint8(v goja.Value, name string) []byte {
	data, ok := Bytes(v)
	if !ok {
		b.wrongType(name, "an instance of Buffer or Uint8Array", v)
	}
	return data
}

// new is Buffer(…) and new Buffer(…).
func (b *buffers) new(call goja.ConstructorCall) *goja.Object {
	first := call.Argument(0)
	if isNumber(first) {
		if isString(call.Argument(1)) {
			b.wrongType("string", "of type string", first)
		}
		return b.wrap(make([]byte, b.size(first, "size")))
	}
	if object, ok := first.(*goja.Object); ok && object.ExportType() == bufferType && call.NewTarget != nil {
		made, err := b.construct(call.NewTarget, call.Arguments...) // of a subclass, say, or of subarray
		if err != nil {
			panic(err)
		}
		return made
	}
	return b.from(first, call.Argument(1), call.Argument(2))
}

func (b *buffers) from(v, second, third goja.Value) *goja.Object {
	if isString(v) {
		return b.wrap(b.charset(second).bytes(v))
	}
	object, ok := v.(*goja.Object)
	if _, callable := goja.AssertFunction(v); !ok || callable {
		b.noSource(v)
	}
	switch object.ExportType() {
	case bufferType:
		return b.fromArrayBuffer(object, second, third)
	case bytesType:
		return b.wrap(bytes.Clone(bytesOf(object)))
	}
	if valueOf, ok := goja.AssertFunction(object.Get("valueOf")); ok {
		value, err := valueOf(object)
		if err != nil {
			panic(err)
		}
		if _, isObject := value.(*goja.Object); (isObject || isString(value)) && !value.SameAs(object) {
			return b.from(value, second, third)
		}
	}
	if length := object.Get("length"); length != nil && !goja.IsUndefined(length) {
		if !isNumber(length) {
			return b.wrap(nil)
		}
		return b.fromList(object, length)
	}
	if kind := object.Get("type"); kind != nil && isString(kind) && kind.String() == "Buffer" {
		if data, ok := object.Get("data").(*goja.Object); ok && data.ClassName() == "Array" {
			return b.fromList(data, data.Get("length"))
		}
	}
	if convert, ok := goja.AssertFunction(object.GetSymbol(goja.SymToPrimitive)); ok {
		value, err := convert(object, b.vm.ToValue("string"))
		if err != nil {
			panic(err)
		}
		if isString(value) {
			return b.wrap(b.charset(second).bytes(value))
		}
	}
	b.noSource(v)
	return nil
}

func (b *buffers) noSource(v goja.Value) {
	b.fail("TypeError", "ERR_INVALID_ARG_TYPE", "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received "+describe(v))
}

func (b *buffers) fromArrayBuffer(object *goja.Object, second, third goja.Value) *goja.Object {
	buffer, _ := bufferOf(object)
	length := float64(len(buffer.Bytes()))
	offset := 0.0
	if !goja.IsUndefined(second) {
		if offset = math.Trunc(second.ToNumber().ToFloat()); math.IsNaN(offset) {
			offset = 0
		}
	}
	if offset < 0 || offset > length {
		b.fail("RangeError", "ERR_BUFFER_OUT_OF_BOUNDS", `"offset" is outside of buffer bounds`)
	}
	size := length - offset
	if !goja.IsUndefined(third) {
		if size = math.Trunc(third.ToNumber().ToFloat()); !(size > 0) {
			size = 0
		} else if size > length-offset {
			b.fail("RangeError", "ERR_BUFFER_OUT_OF_BOUNDS", `"length" is outside of buffer bounds`)
		}
	}
	made, err := b.construct(b.ctor, object, b.vm.ToValue(int64(offset)), b.vm.ToValue(int64(size)))
	if err != nil {
		panic(err)
	}
	return made
}

// fromList makes a Buffer of what is like an array.
func (b *buffers) fromList(object *goja.Object, length goja.Value) *goja.Object {
	n := length.ToNumber().ToFloat()
	if !(n > 0) {
		return b.wrap(nil)
	}
	if n > float64(b.host.Room()) {
		b.outOfRange("length", fmt.Sprintf(">= 0 && <= %d, the memory of the run", b.host.Room()), length)
	}
	data := make([]byte, int(n))
	for i := range data {
		if item := object.Get(strconv.Itoa(i)); item != nil {
			data[i] = byte(toInteger(item))
		}
		if i%4096 == 0 && b.host.Stopped() {
			break
		}
	}
	return b.wrap(data)
}

// toInteger is a number as the low bits of an integer.
func toInteger(v goja.Value) int64 {
	n := v.ToNumber()
	if x, ok := n.Export().(int64); ok {
		return x
	}
	x := math.Trunc(n.ToFloat())
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return int64(math.Mod(x, 1<<53))
}

// charset is the encoding that an argument names; one that is missing is UTF-8.
func (b *buffers) charset(v goja.Value) charset {
	if !isString(v) || v.String() == "" {
		return "utf8"
	}
	c := charsetNamed(v.String())
	if c == "" {
		b.fail("TypeError", "ERR_UNKNOWN_ENCODING", "Unknown encoding: "+v.String())
	}
	return c
}
