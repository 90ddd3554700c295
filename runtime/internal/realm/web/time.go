package web

import (
	"math"
	"time"

	"github.com/dop251/goja"
)

// timeNative has after(ms, wait, f), and elapsed() and now() in milliseconds.
func (w *World) timeNative(native *goja.Object) {
	set(native, map[string]function{
		"after": func(f goja.FunctionCall) goja.Value {
			if callback, ok := goja.AssertFunction(f.Argument(2)); ok {
				ms := min(max(f.Argument(0).ToFloat(), 0), math.MaxInt32) // no run takes so long
				w.host.After(time.Duration(ms*float64(time.Millisecond)), f.Argument(1).ToBoolean(), callback)
			}
			return goja.Undefined()
		},
		"elapsed": func(goja.FunctionCall) goja.Value {
			return w.vm.ToValue(float64(w.host.Elapsed().Microseconds()) / 1000)
		},
		"now": func(goja.FunctionCall) goja.Value {
			return w.vm.ToValue(float64(w.host.Now().UnixMicro()) / 1000)
		},
	})
}

// roomNative has fits(n): whether an object of n bytes may be made.
func (w *World) roomNative(native *goja.Object) {
	set(native, map[string]function{
		"fits": func(f goja.FunctionCall) goja.Value {
			n := f.Argument(0).ToFloat()
			return w.vm.ToValue(n >= 0 && n <= float64(w.host.Room()))
		},
	})
}
