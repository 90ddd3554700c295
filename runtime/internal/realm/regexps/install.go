package regexps

import (
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// natives are the engine's own functions, which no script can reach any more.
type natives struct {
	getSource goja.Callable
	compile   goja.Callable
	make      goja.Constructor
}

// source reads what the engine takes for the pattern.
func (n *natives) source(o *goja.Object) (goja.Value, error) { return n.getSource(o) }

// object makes an object of the engine.
func (n *natives) object(of ...goja.Value) *goja.Object {
	made, err := n.make(nil, of...)
	if err != nil {
		panic(err)
	}
	return made
}

var nativesProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("scriptrun:natives", `(() => {
		const prototype = Object.getPrototypeOf(/x/);
		return [prototype.constructor, Object.getOwnPropertyDescriptor(prototype, "source").get];
	})()`, true)
})

// Install replaces what the engine has. It must run before code whose literals were
// rewritten. A second call does nothing.
func (w *World) Install() error {
	if w.installed {
		return nil
	}
	w.installed = true
	taken, err := w.vm.RunProgram(nativesProgram())
	if err != nil {
		return err
	}
	list := taken.(*goja.Object)
	native := list.Get("0").(*goja.Object)
	w.prototype = native.Get("prototype").(*goja.Object)
	w.native.make, _ = goja.AssertConstructor(native)
	w.native.getSource, _ = goja.AssertFunction(list.Get("1"))
	w.native.compile, _ = goja.AssertFunction(w.prototype.Get("compile"))
	w.constructor = w.newConstructor(native)
	if thrown := w.vm.Try(w.replace); thrown != nil {
		return thrown
	}
	return nil
}

// spellings are the names of what makes regular expressions.
var spellings = []string{"RegExp", "match", "search", "getOwnPropertyNames", "ownKeys"}

// Mentioned reports whether a source may make regular expressions other than by literals.
// Installing takes a sixth of the time of a small run, so that a realm does it only then.
func Mentioned(source string) bool {
	return slices.ContainsFunc(spellings, func(s string) bool { return strings.Contains(source, s) })
}

// replace puts our functions in the place of the engine's.
func (w *World) replace() {
	w.exec = w.function("exec", 1, w.protoExec)
	put := func(name string, v goja.Value) {
		w.must(w.prototype.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	put("constructor", w.constructor)
	// The engine's instanceof knows functions alone, and no proxies of them.
	w.must(w.constructor.DefineDataPropertySymbol(goja.SymHasInstance, w.function("[Symbol.hasInstance]", 1, w.hasInstance), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	put("exec", w.exec)
	put("test", w.function("test", 1, w.protoTest))
	put("compile", w.function("compile", 2, w.protoCompile))
	for _, f := range flagNames {
		if f.flag&nativeFlags == 0 { // the engine has the getters of the others
			w.getter(f.name, w.flag(f.flag, f.name))
		}
	}
	w.getter("flags", w.protoFlags)
	w.getter("source", w.protoSource)
	for _, m := range []struct {
		symbol *goja.Symbol
		name   string
		length int
		f      func(goja.FunctionCall) goja.Value
	}{
		{goja.SymMatch, "[Symbol.match]", 1, w.protoMatch},
		{goja.SymMatchAll, "[Symbol.matchAll]", 1, w.protoMatchAll},
		{goja.SymReplace, "[Symbol.replace]", 2, w.protoReplace},
		{goja.SymSearch, "[Symbol.search]", 1, w.protoSearch},
		{goja.SymSplit, "[Symbol.split]", 2, w.protoSplit},
	} {
		w.must(w.prototype.DefineDataPropertySymbol(m.symbol, w.function(m.name, m.length, m.f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	w.must(w.vm.GlobalObject().DefineDataProperty("RegExp", w.constructor, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	w.installStrings()
}

// function makes a function as those of the language are: with a name and a length.
func (w *World) function(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	object := w.vm.ToValue(f).(*goja.Object)
	w.must(object.DefineDataProperty("name", w.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	if length > 0 {
		w.must(object.DefineDataProperty("length", w.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	return object
}

func (w *World) getter(name string, f func(goja.FunctionCall) goja.Value) {
	w.must(w.prototype.DefineAccessorProperty(name, w.function("get "+name, 0, f), nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
}
