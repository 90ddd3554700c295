package regexps

import (
	_ "embed" // iterator.js
	"strings"
	"sync"

	"github.com/dop251/goja"
)

//go:embed iterator.js
var iteratorSource string

var iteratorProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("scriptrun:iterator", iteratorSource, true)
})

// protoMatchAll is RegExp.prototype[Symbol.matchAll].
func (w *World) protoMatchAll(call goja.FunctionCall) goja.Value {
	o := w.object(call, "[Symbol.matchAll]")
	s := w.toString(call.Argument(0))
	c := w.species(o)
	flags := w.flags(o)
	matcher := w.copyOf(o, c, flags)
	w.setLastIndex(matcher, w.lastIndex(o))
	return w.iterator(matcher, s, strings.Contains(flags, "g"), aboutPoints(flags))
}

// iterator makes the iterator of matchAll.
func (w *World) iterator(matcher *goja.Object, s goja.String, global, points bool) goja.Value {
	if w.iterators == nil {
		w.must(w.makeIterators())
	}
	return w.call(w.newIterator, goja.Undefined(), matcher, s, w.vm.ToValue(global), w.vm.ToValue(points))
}

func (w *World) makeIterators() error {
	list := w.vm.NewArray()
	values, _ := goja.AssertFunction(list.GetSymbol(goja.SymIterator))
	one, err := values(list)
	if err != nil {
		return err
	}
	build, err := w.vm.RunProgram(iteratorProgram())
	if err != nil {
		return err
	}
	f, _ := goja.AssertFunction(build)
	made, err := f(goja.Undefined(), w.vm.ToValue(w.stepIterator))
	if err != nil {
		return err
	}
	w.newIterator, _ = goja.AssertFunction(made.ToObject(w.vm).Get("0"))
	w.iterators = made.ToObject(w.vm).Get("1").ToObject(w.vm)
	if err := w.iterators.Delete("constructor"); err != nil {
		return err
	}
	if err := w.iterators.DefineDataPropertySymbol(goja.SymToStringTag, w.vm.ToValue("RegExp String Iterator"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		return err
	}
	return w.iterators.SetPrototype(one.ToObject(w.vm).Prototype().Prototype())
}

// stepIterator does one match of an iterator.
func (w *World) stepIterator(call goja.FunctionCall) goja.Value {
	matcher, s := call.Argument(0).(*goja.Object), call.Argument(1).(goja.String)
	result, found := w.regExpExec(matcher, s)
	if !found {
		return goja.Null()
	}
	if call.Argument(2).ToBoolean() {
		w.step(matcher, s, w.toString(get(result, "0")), call.Argument(3).ToBoolean())
	}
	return result
}
