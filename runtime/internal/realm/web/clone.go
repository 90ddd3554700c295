package web

import (
	"reflect"

	"github.com/dop251/goja"
)

var (
	proxyType   = reflect.TypeFor[goja.Proxy]()
	bufferType  = reflect.TypeFor[goja.ArrayBuffer]()
	mapType     = reflect.TypeFor[[][2]any]()
	setType     = reflect.TypeFor[[]any]()
	promiseType = reflect.TypeFor[*goja.Promise]()
)

// cloneNative tells what objects are, whatever their prototypes and properties say.
func (w *World) cloneNative(native *goja.Object) {
	set(native, map[string]function{
		"kind": func(f goja.FunctionCall) goja.Value { return w.vm.ToValue(KindOf(f.Argument(0))) },
		"copy": func(f goja.FunctionCall) goja.Value {
			buffer, ok := bufferOf(f.Argument(0))
			if !ok || buffer.Detached() {
				return goja.Null()
			}
			return w.vm.ToValue(w.vm.NewArrayBuffer(append([]byte(nil), buffer.Bytes()...)))
		},
		"detached": func(f goja.FunctionCall) goja.Value {
			buffer, ok := bufferOf(f.Argument(0))
			return w.vm.ToValue(!ok || buffer.Detached())
		},
		"detach": func(f goja.FunctionCall) goja.Value {
			if buffer, ok := bufferOf(f.Argument(0)); ok {
				buffer.Detach()
			}
			return goja.Undefined()
		},
		"made": func(f goja.FunctionCall) goja.Value {
			name := f.Argument(0).String()
			for family, made := range w.made {
				if family.name == name {
					return made
				}
			}
			return goja.Null()
		},
	})
}

// KindOf is the class of an object, whatever it says itself: Map, Set, Promise, Proxy,
// ArrayBuffer, View for typed arrays, and else that of the engine. It is empty for other values.
func KindOf(v goja.Value) string {
	object, ok := v.(*goja.Object)
	if !ok {
		return ""
	}
	switch object.ExportType() {
	case proxyType:
		return "Proxy"
	case bufferType:
		return "ArrayBuffer"
	case mapType:
		return "Map"
	case bytesType, reflect.TypeFor[[]int8](), reflect.TypeFor[[]int16](), reflect.TypeFor[[]uint16](), reflect.TypeFor[[]int32](),
		reflect.TypeFor[[]uint32](), reflect.TypeFor[[]float32](), reflect.TypeFor[[]float64](), reflect.TypeFor[[]int64](), reflect.TypeFor[[]uint64]():
		return "View"
	case promiseType:
		return "Promise"
	case setType:
		if class := object.ClassName(); class != "Object" {
			return class // an array is exported as the same
		}
		return "Set"
	}
	return object.ClassName()
}
