package regexps

import (
	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// newConstructor makes RegExp of the engine's. It is a proxy, as only a proxy tells calls from
// constructions to Go; its properties are those of the engine's.
func (w *World) newConstructor(native *goja.Object) *goja.Object {
	return w.vm.ToValue(w.vm.NewProxy(native, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, _ goja.Value, args []goja.Value) goja.Value { return w.applied(args) },
		Construct: func(_ *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			object := w.construct(args)
			if newTarget != nil && newTarget != w.constructor {
				if proto, ok := newTarget.Get("prototype").(*goja.Object); ok && proto != w.prototype {
					w.must(object.SetPrototype(proto))
				}
			}
			return object
		},
	})).(*goja.Object)
}

// hasInstance is Function.prototype[Symbol.hasInstance].
func (w *World) hasInstance(call goja.FunctionCall) goja.Value {
	class, ok := call.This.(*goja.Object)
	object, is := call.Argument(0).(*goja.Object)
	if !ok || !is {
		return w.vm.ToValue(false)
	}
	proto, ok := get(class, "prototype").(*goja.Object)
	if !ok {
		panic(w.vm.NewTypeError("the prototype of the right side of instanceof is no object"))
	}
	for object = object.Prototype(); object != nil; object = object.Prototype() {
		if object == proto {
			return w.vm.ToValue(true)
		}
	}
	return w.vm.ToValue(false)
}

func argument(args []goja.Value, i int) goja.Value {
	if i < len(args) {
		return args[i]
	}
	return goja.Undefined()
}

// applied is RegExp as a function: it returns a regular expression as it is.
func (w *World) applied(args []goja.Value) goja.Value {
	if o, ok := argument(args, 0).(*goja.Object); ok && goja.IsUndefined(argument(args, 1)) && w.isRegExp(o) {
		if get(o, "constructor") == goja.Value(w.constructor) {
			return o
		}
	}
	return w.construct(args)
}

// isRegExp is the standard's IsRegExp.
func (w *World) isRegExp(o *goja.Object) bool {
	if v := o.GetSymbol(goja.SymMatch); v != nil && !goja.IsUndefined(v) {
		return v.ToBoolean()
	}
	return w.patternOf(o) != nil
}

// construct makes a regular expression of the arguments of RegExp.
func (w *World) construct(args []goja.Value) *goja.Object {
	source, flags := argument(args, 0), argument(args, 1)
	if o, ok := source.(*goja.Object); ok {
		looksLikeOne := w.isRegExp(o)
		if p := w.patternOf(o); p != nil {
			if goja.IsUndefined(flags) {
				return w.make(p.units, p.flags)
			}
			return w.make(p.units, w.parseFlags(flags))
		}
		if looksLikeOne {
			source = get(o, "source")
			if goja.IsUndefined(flags) {
				flags = get(o, "flags")
			}
		}
	}
	return w.create(source, flags)
}

// create is the standard's RegExpCreate.
func (w *World) create(source, flags goja.Value) *goja.Object {
	var code []uint16
	if !goja.IsUndefined(source) {
		code = units(w.toString(source))
	}
	return w.make(code, w.parseFlags(flags))
}

func (w *World) parseFlags(v goja.Value) regex.Flags {
	if goja.IsUndefined(v) {
		return 0
	}
	text := w.toString(v).String()
	flags, ok := regex.ParseFlags(text)
	if !ok {
		w.throw("SyntaxError", "Invalid flags supplied to RegExp constructor '"+text+"'")
	}
	return flags
}

// protoCompile is RegExp.prototype.compile: it makes another regular expression of an object.
func (w *World) protoCompile(call goja.FunctionCall) goja.Value {
	o := w.object(call, "compile")
	if w.patternOf(o) == nil {
		panic(w.vm.NewTypeError("RegExp.prototype.compile called on a value that is no regular expression"))
	}
	source, flags := call.Argument(0), call.Argument(1)
	var code []uint16
	var now regex.Flags
	if other, ok := source.(*goja.Object); ok && w.patternOf(other) != nil {
		if !goja.IsUndefined(flags) {
			panic(w.vm.NewTypeError("Invalid flags: there is a regular expression that has some"))
		}
		p := w.patternOf(other)
		code, now = p.units, p.flags
	} else {
		if !goja.IsUndefined(source) {
			code = units(w.toString(source))
		}
		now = w.parseFlags(flags)
	}
	key := encode(code, now)
	if w.known[key] == nil {
		w.compile(key, code, now)
	}
	w.last, w.lastUsed = nil, nil
	w.call(w.native.compile, o, w.vm.ToValue(key), w.vm.ToValue((now & nativeFlags).String()))
	return o
}
