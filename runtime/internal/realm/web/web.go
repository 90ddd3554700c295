package web

import (
	"embed"
	"fmt"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// Prefix begins the names of the programs, as stack frames show them.
const Prefix = "scriptrun:"

// Host is what a realm gives to its globals. All fields must be set.
type Host struct {
	VM *goja.Runtime
	// After calls a function after a time. If the run waits for it, an error of the function
	// ends the run.
	After func(d time.Duration, wait bool, f goja.Callable)
	// Now is the script's clock.
	Now func() time.Time
	// Elapsed is the time since the run began, by the script's clock.
	Elapsed func() time.Duration
	// Random fills bytes with random ones, which a seed can determine.
	Random func([]byte)
	// Room is the most bytes that one object may take.
	Room func() int64
	// Stopped reports whether the run is over, so that work on its behalf can end.
	Stopped func() bool
}

// World has the globals of one realm. It is for the realm's goroutine.
type World struct {
	host Host
	vm   *goja.Runtime
	made map[*family]*goja.Object
	part goja.Value
}

// New makes a world, in which nothing is made yet.
func New(host Host) *World {
	return &World{host: host, vm: host.VM, made: map[*family]*goja.Object{}}
}

// Has reports whether a name is a global of this package. It is fast, as every lookup of an
// unknown global asks it.
func Has(name string) bool {
	_, ok := globals()[name]
	return ok
}

// Global returns a global, which it makes if need be. It is nil for a name that is none.
func (w *World) Global(name string) (goja.Value, error) {
	f, ok := globals()[name]
	if !ok {
		return nil, nil
	}
	made, err := w.make(f)
	if err != nil {
		return nil, err
	}
	return made.Get(name), nil
}

// family is a set of globals that are made together.
type family struct {
	name    string
	globals []string
	native  func(*World, *goja.Object) // adds the functions that the program needs; may be nil
	program func() *goja.Program
	direct  func(*World) (*goja.Object, error) // instead of a program
}

//go:embed *.js
var sources embed.FS

// scripted makes a family whose program is the file NAME.js: a function of native and part
// that returns an object with the globals.
func scripted(name string, native func(*World, *goja.Object), globals ...string) *family {
	return &family{name: name, native: native, globals: globals, program: sync.OnceValue(func() *goja.Program {
		source, err := sources.ReadFile(name + ".js")
		if err != nil {
			panic(err) // it is part of this package
		}
		return goja.MustCompile(Prefix+name, string(source), true)
	})}
}

var families = sync.OnceValue(func() []*family {
	return []*family{
		scripted("exception", nil, "DOMException"),
		scripted("text", (*World).textNative, "TextEncoder", "TextDecoder"),
		scripted("base64", (*World).base64Native, "atob", "btoa"),
		scripted("microtask", nil, "queueMicrotask"),
		scripted("events", (*World).timeNative, "Event", "CustomEvent", "EventTarget"),
		scripted("abort", (*World).timeNative, "AbortController", "AbortSignal"),
		scripted("clone", (*World).cloneNative, "structuredClone"),
		scripted("blob", (*World).roomNative, "Blob", "File"),
		scripted("url", (*World).urlNative, "URL"),
		scripted("searchparams", (*World).urlNative, "URLSearchParams"),
		{name: "buffer", globals: []string{"Buffer"}, direct: newBuffers},
		scripted("crypto", (*World).cryptoNative, "crypto", "Crypto", "SubtleCrypto", "CryptoKey"),
		scripted("performance", (*World).timeNative, "performance", "Performance"),
	}
})

// globals are the families by the names of their globals.
var globals = sync.OnceValue(func() map[string]*family {
	all := map[string]*family{}
	for _, f := range families() {
		for _, name := range f.globals {
			all[name] = f
		}
	}
	return all
})

// make makes the globals of a family, once.
func (w *World) make(f *family) (*goja.Object, error) {
	if made, ok := w.made[f]; ok {
		return made, nil
	}
	made, err := w.build(f)
	if err != nil {
		return nil, err
	}
	w.made[f] = made
	return made, nil
}

func (w *World) build(f *family) (*goja.Object, error) {
	if f.direct != nil {
		return f.direct(w)
	}
	value, err := w.vm.RunProgram(f.program())
	if err != nil {
		return nil, err
	}
	build, ok := goja.AssertFunction(value)
	if !ok {
		return nil, fmt.Errorf("%s.js is not a function", f.name)
	}
	native := w.vm.CreateObject(nil) // a setter of Object.prototype would get what is put in
	if f.native != nil {
		f.native(w, native)
	}
	if w.part == nil {
		w.part = w.vm.ToValue(w.partOf)
	}
	made, err := build(goja.Undefined(), native, w.part)
	if err != nil {
		return nil, err
	}
	object, ok := made.(*goja.Object)
	if !ok {
		return nil, fmt.Errorf("%s.js returns no globals", f.name)
	}
	return object, nil
}

// partOf is part(name): what another family returns.
func (w *World) partOf(call goja.FunctionCall) goja.Value {
	name := call.Argument(0).String()
	for _, f := range families() {
		if f.name == name {
			made, err := w.make(f)
			if err != nil {
				panic(err)
			}
			return made
		}
	}
	panic(w.vm.NewTypeError("there is no part " + name))
}

// function is a native function.
type function = func(goja.FunctionCall) goja.Value

// set adds functions to an object.
func set(object *goja.Object, functions map[string]function) {
	for name, f := range functions {
		_ = object.Set(name, f) // the object is ours and open
	}
}
