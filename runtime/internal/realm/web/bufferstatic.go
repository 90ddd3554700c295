package web

import (
	"bytes"
	"fmt"
	"math"

	"github.com/dop251/goja"
)

// statics adds the functions of Buffer itself.
func (b *buffers) statics() {
	set := func(name string, length int, f function) { b.method(b.ctor, name, length, f) }
	set("from", 3, func(f goja.FunctionCall) goja.Value {
		return b.from(f.Argument(0), f.Argument(1), f.Argument(2))
	})
	set("of", 0, func(f goja.FunctionCall) goja.Value {
		data := make([]byte, len(f.Arguments))
		for i, v := range f.Arguments {
			data[i] = byte(toInteger(v))
		}
		return b.wrap(data)
	})
	alloc := func(f goja.FunctionCall) goja.Value {
		return b.wrap(make([]byte, b.size(f.Argument(0), "size")))
	}
	set("alloc", 3, func(f goja.FunctionCall) goja.Value {
		data := make([]byte, b.size(f.Argument(0), "size"))
		if fill := f.Argument(1); !goja.IsUndefined(fill) && len(data) > 0 {
			b.fill(data, fill, f.Argument(2))
		}
		return b.wrap(data)
	})
	set("allocUnsafe", 1, alloc)
	set("allocUnsafeSlow", 1, alloc)
	set("isBuffer", 1, func(f goja.FunctionCall) goja.Value {
		object, ok := f.Argument(0).(*goja.Object)
		return b.vm.ToValue(ok && b.vm.InstanceOf(object, b.ctor))
	})
	set("isEncoding", 1, func(f goja.FunctionCall) goja.Value {
		name := f.Argument(0)
		return b.vm.ToValue(isString(name) && charsetNamed(name.String()) != "")
	})
	set("byteLength", 2, b.byteLength)
	set("compare", 2, func(f goja.FunctionCall) goja.Value {
		return b.vm.ToValue(bytes.Compare(b.uint8(f.Argument(0), "buf1"), b.uint8(f.Argument(1), "buf2")))
	})
	set("concat", 2, b.concat)
	set("copyBytesFrom", 3, b.copyBytesFrom)
	_ = b.ctor.Set("poolSize", 8192)
}

func (b *buffers) byteLength(f goja.FunctionCall) goja.Value {
	v := f.Argument(0)
	if isString(v) {
		encoding := charset("utf8")
		if name := f.Argument(1); isString(name) {
			if c := charsetNamed(name.String()); c != "" {
				encoding = c
			}
		}
		return b.vm.ToValue(encoding.length(v))
	}
	if object, ok := v.(*goja.Object); ok {
		if length := object.Get("byteLength"); length != nil && isNumber(length) {
			return length
		}
	}
	b.wrongType("string", "of type string or an instance of Buffer or ArrayBuffer", v)
	return nil
}

func (b *buffers) concat(f goja.FunctionCall) goja.Value {
	list, ok := f.Argument(0).(*goja.Object)
	if !ok || list.ClassName() != "Array" {
		b.wrongType("list", "an instance of Array", f.Argument(0))
	}
	var parts [][]byte
	var total int64
	i := 0
	b.vm.ForOf(list, func(v goja.Value) bool {
		part := b.uint8(v, fmt.Sprintf("list[%d]", i))
		parts, total = append(parts, part), total+int64(len(part))
		i++
		return !b.host.Stopped()
	})
	if given := f.Argument(1); !goja.IsUndefined(given) {
		total = int64(b.integer(given, "length", math.MaxInt32))
	}
	b.room(total)
	data := make([]byte, total)
	at := 0
	for _, part := range parts {
		at += copy(data[at:], part)
	}
	return b.wrap(data)
}

func (b *buffers) copyBytesFrom(f goja.FunctionCall) goja.Value {
	view, ok := f.Argument(0).(*goja.Object)
	if !ok || KindOf(view) != "View" {
		b.wrongType("view", "an instance of TypedArray", f.Argument(0))
	}
	buffer, ok := bufferOf(property(view, "buffer"))
	if !ok {
		b.wrongType("view", "an instance of TypedArray", view)
	}
	unit, count, start := int(property(view, "BYTES_PER_ELEMENT").ToInteger()), int(property(view, "length").ToInteger()), int(property(view, "byteOffset").ToInteger())
	from := 0
	if v := f.Argument(1); !goja.IsUndefined(v) {
		from = min(b.integer(v, "offset", math.MaxInt32), count)
	}
	n := count - from
	if v := f.Argument(2); !goja.IsUndefined(v) {
		n = min(b.integer(v, "length", math.MaxInt32), n)
	}
	all := buffer.Bytes()
	low, high := start+from*unit, start+(from+n)*unit
	if low < 0 || high > len(all) || low > high { // the script replaced a property
		return b.wrap(nil)
	}
	return b.wrap(bytes.Clone(all[low:high]))
}
