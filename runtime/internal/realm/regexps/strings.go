package regexps

import (
	"strings"

	"github.com/dop251/goja"
)

// installStrings replaces the methods of strings that make regular expressions.
func (w *World) installStrings() {
	proto := w.vm.Get("String").(*goja.Object).Get("prototype").(*goja.Object)
	for _, m := range []struct {
		name   string
		symbol *goja.Symbol
	}{{"match", goja.SymMatch}, {"matchAll", goja.SymMatchAll}, {"search", goja.SymSearch}} {
		f := w.function(m.name, 1, w.stringMethod(m.name, m.symbol))
		w.must(proto.DefineDataProperty(m.name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
}

// stringMethod is a method of strings that has the regular expression do the work.
func (w *World) stringMethod(name string, symbol *goja.Symbol) func(goja.FunctionCall) goja.Value {
	all := symbol == goja.SymMatchAll
	return func(call goja.FunctionCall) goja.Value {
		if isNullish(call.This) {
			panic(w.vm.NewTypeError("String.prototype." + name + " called on null or undefined"))
		}
		arg := call.Argument(0)
		if o, ok := arg.(*goja.Object); ok {
			if all && w.isRegExp(o) {
				w.needGlobal(get(o, "flags"))
			}
			if f := w.method(o, symbol); f != nil {
				return w.call(f, arg, call.This)
			}
		}
		s := w.toString(call.This)
		flags := goja.Undefined()
		if all {
			flags = w.vm.ToValue("g")
		}
		made := w.create(arg, flags)
		f := w.method(made, symbol)
		if f == nil {
			panic(w.vm.NewTypeError("RegExp.prototype has no " + symbol.String()))
		}
		return w.call(f, made, s)
	}
}

func (w *World) needGlobal(flags goja.Value) {
	if isNullish(flags) {
		panic(w.vm.NewTypeError("the flags of the regular expression are " + flags.String()))
	}
	if !strings.Contains(w.toString(flags).String(), "g") {
		panic(w.vm.NewTypeError("String.prototype.matchAll called with a non-global RegExp argument"))
	}
}
