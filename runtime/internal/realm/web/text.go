package web

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

func (w *World) textNative(native *goja.Object) {
	set(native, map[string]function{
		"isBuffer": func(f goja.FunctionCall) goja.Value {
			return w.vm.ToValue(KindOf(f.Argument(0)) == "ArrayBuffer")
		},
		"encode": func(f goja.FunctionCall) goja.Value {
			return w.vm.ToValue(w.vm.NewArrayBuffer([]byte(scalarText(f.Argument(0)))))
		},
		"encodeInto": func(f goja.FunctionCall) goja.Value {
			read, written := encodeInto(scalarText(f.Argument(0)), bytesOf(f.Argument(1)))
			return w.vm.NewArray(read, written)
		},
		"decoder": func(f goja.FunctionCall) goja.Value {
			d := newDecoder(f.Argument(0).String(), f.Argument(1).ToBoolean(), f.Argument(2).ToBoolean())
			return w.vm.ToValue(func(f goja.FunctionCall) goja.Value {
				text, ok := d.decode(bytesOf(f.Argument(0)), f.Argument(1).ToBoolean())
				if !ok {
					return goja.Null()
				}
				return w.vm.ToValue(text)
			})
		},
	})
}

// Bytes are those of a Uint8Array, shared with it. They are none for one that is detached; of
// anything else, it is false.
func Bytes(v goja.Value) (data []byte, ok bool) {
	object, ok := v.(*goja.Object)
	if !ok || object.ExportType() != bytesType {
		return nil, false
	}
	// The engine cannot export one that is detached. Such a one has no elements, which no
	// script can give it.
	if first := object.Get("0"); first == nil || goja.IsUndefined(first) {
		return nil, true
	}
	data, _ = object.Export().([]byte)
	return data, true
}

// bytesOf are the bytes of a Uint8Array; none for anything else.
func bytesOf(v goja.Value) []byte {
	data, _ := Bytes(v)
	return data
}

// bufferOf is an ArrayBuffer, if the value is one.
func bufferOf(v goja.Value) (goja.ArrayBuffer, bool) {
	object, ok := v.(*goja.Object)
	if !ok || object.ExportType() != bufferType {
		return goja.ArrayBuffer{}, false
	}
	buffer, ok := object.Export().(goja.ArrayBuffer)
	return buffer, ok
}

// property is a property of an object; undefined if it has none of the name.
func property(object *goja.Object, name string) goja.Value {
	if value := object.Get(name); value != nil {
		return value
	}
	return goja.Undefined()
}

// scalarText is a text in which a half of a surrogate pair is U+FFFD.
func scalarText(v goja.Value) string {
	text := v.String()
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		b.WriteRune(c)
	}
	return b.String()
}

// encodeInto writes as many whole characters as fit. It counts what it read in UTF-16.
func encodeInto(text string, into []byte) (read, written int) {
	for _, c := range text {
		n := utf8.RuneLen(c)
		if n > len(into)-written {
			break
		}
		written += utf8.EncodeRune(into[written:], c)
		read += utf16.RuneLen(c)
	}
	return read, written
}
