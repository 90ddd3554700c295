package regexps

import (
	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// execute is the standard's RegExpBuiltinExec, without the array: it returns offsets, or nil.
func (w *World) execute(o *goja.Object, p *pattern, s goja.String) []int32 {
	at, moves := w.lastIndex(o), p.flags&(regex.Global|regex.Sticky) != 0
	if !moves {
		at = 0
	}
	var found []int32
	if at <= int64(s.Length()) {
		found = w.match(p, s, int(at), p.flags&regex.Sticky != 0)
	}
	if moves {
		next := int64(0)
		if found != nil {
			next = int64(found[1])
		}
		w.setLastIndex(o, next)
	}
	return found
}

// result is the array that exec returns.
func (w *World) result(p *pattern, s goja.String, found []int32) goja.Value {
	if found == nil {
		return goja.Null()
	}
	items := make([]any, len(found)/2)
	for i := range items {
		items[i] = capture(s, found, i)
	}
	array := w.vm.NewArray(items...)
	w.define(array, "index", w.vm.ToValue(int64(found[0])))
	w.define(array, "input", s)
	w.define(array, "groups", w.groups(p, func(i int) goja.Value { return items[i].(goja.Value) }, found))
	if p.flags&regex.HasIndices != 0 {
		w.define(array, "indices", w.indices(p, found))
	}
	return array
}

func (w *World) define(o *goja.Object, name string, v goja.Value) {
	w.must(o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
}

// capture is what a group captured.
func capture(s goja.String, found []int32, group int) goja.Value {
	if found[2*group] < 0 {
		return goja.Undefined()
	}
	return s.Substring(int(found[2*group]), int(found[2*group+1]))
}

// groups is the object of the named groups. Of groups with one name, that which took part
// counts.
func (w *World) groups(p *pattern, value func(int) goja.Value, found []int32) goja.Value {
	if !p.program.HasNames() {
		return goja.Undefined()
	}
	object := w.vm.CreateObject(nil)
	known := map[string]bool{}
	p.program.Named(func(name string, group int) {
		if !known[name] || found[2*group] >= 0 {
			w.define(object, name, value(group))
		}
		known[name] = true
	})
	return object
}

// indices is the array of flag d.
func (w *World) indices(p *pattern, found []int32) goja.Value {
	items := make([]any, len(found)/2)
	for i := range items {
		items[i] = goja.Undefined()
		if found[2*i] >= 0 {
			items[i] = w.vm.NewArray(int(found[2*i]), int(found[2*i+1]))
		}
	}
	array := w.vm.NewArray(items...)
	w.define(array, "groups", w.groups(p, func(i int) goja.Value { return items[i].(goja.Value) }, found))
	return array
}

// plain returns the pattern of an object if what it has for exec is the one that was made
// here: then nothing of a match can be seen but its result.
func (w *World) plain(o *goja.Object, exec goja.Value) *pattern {
	if exec != goja.Value(w.exec) {
		return nil
	}
	return w.patternOf(o)
}

// regExpExec is the standard's RegExpExec. found says that there is a match.
func (w *World) regExpExec(o *goja.Object, s goja.String) (result *goja.Object, found bool) {
	return w.execWith(get(o, "exec"), o, s)
}

// execWith is RegExpExec with the property exec, which was read already.
func (w *World) execWith(exec goja.Value, o *goja.Object, s goja.String) (result *goja.Object, found bool) {
	if w.stopped() { // what an exec of a script returns may have us go on without end
		w.interrupt()
	}
	if f, ok := goja.AssertFunction(exec); ok && exec != goja.Value(w.exec) {
		v := w.call(f, o, s)
		if goja.IsNull(v) {
			return nil, false
		}
		object, ok := v.(*goja.Object)
		if !ok {
			panic(w.vm.NewTypeError("exec of a regular expression returned neither an object nor null"))
		}
		return object, true
	}
	p := w.patternOf(o)
	if p == nil {
		panic(w.vm.NewTypeError("exec of an object that is no regular expression"))
	}
	result, found = w.result(p, s, w.execute(o, p, s)).(*goja.Object)
	return result, found
}

func (w *World) protoExec(call goja.FunctionCall) goja.Value {
	o, ok := call.This.(*goja.Object)
	var p *pattern
	if ok {
		p = w.patternOf(o)
	}
	if p == nil {
		panic(w.vm.NewTypeError("RegExp.prototype.exec called on a value that is no regular expression"))
	}
	s := w.toString(call.Argument(0))
	return w.result(p, s, w.execute(o, p, s))
}

func (w *World) protoTest(call goja.FunctionCall) goja.Value {
	o := w.object(call, "test")
	s := w.toString(call.Argument(0))
	exec := get(o, "exec")
	if p := w.plain(o, exec); p != nil {
		return w.vm.ToValue(w.execute(o, p, s) != nil)
	}
	_, found := w.execWith(exec, o, s)
	return w.vm.ToValue(found)
}
