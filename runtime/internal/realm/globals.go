package realm

import (
	_ "embed" // globals.js
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja_nodejs/buffer"
	"github.com/dop251/goja_nodejs/require"
	"github.com/dop251/goja_nodejs/url"
)

var (
	//go:embed globals.js
	globalsSource string

	globalsProgram = program("globals", globalsSource)
)

// program compiles our own code at its first use.
func program(name, source string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return goja.MustCompile(ownPrefix+name, source, true) })
}

// furnish adds the globals that the language lacks.
func (r *Realm) furnish() error {
	return r.vm.GlobalObject().SetPrototype(r.vm.NewDynamicObject(&lazyGlobals{realm: r, made: map[string]goja.Value{}}))
}

// furnishCommonJS adds module and exports.
func (r *Realm) furnishCommonJS() error {
	module, exports := r.vm.NewObject(), r.vm.NewObject()
	return errors.Join(module.Set("exports", exports), r.vm.Set("module", module), r.vm.Set("exports", exports))
}

// function evaluates one of our programs, which are all function expressions.
func (r *Realm) function(p *goja.Program) (goja.Callable, error) {
	value, err := r.vm.RunProgram(p)
	if err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(value)
	if !ok {
		return nil, errors.New("a part of the realm is not a function")
	}
	return f, nil
}

// lazyGlobals is the prototype of the global object. It makes a global when it is first read:
// most scripts read few, and making all of them costs more than the rest of a short run.
type lazyGlobals struct {
	realm *Realm
	made  map[string]goja.Value
}

// Get implements [goja.DynamicObject].
func (l *lazyGlobals) Get(name string) goja.Value {
	if value, ok := l.made[name]; ok {
		return value
	}
	if !l.Has(name) {
		return nil
	}
	value, err := l.realm.makeGlobal(name)
	if err != nil {
		var thrown *goja.Exception
		if errors.As(err, &thrown) {
			panic(thrown.Value())
		}
		panic(err)
	}
	l.made[name] = value
	return value
}

// Set implements [goja.DynamicObject]; assignments go to the global object.
func (l *lazyGlobals) Set(name string, value goja.Value) bool {
	if !l.Has(name) {
		return false
	}
	l.made[name] = value
	return true
}

// Has implements [goja.DynamicObject].
func (l *lazyGlobals) Has(name string) bool {
	switch name { // a switch is fast: every lookup of an unknown global comes here
	case "console", "setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate",
		"URL", "URLSearchParams", "Buffer", "TextEncoder", "TextDecoder", "AbortController", "AbortSignal",
		"structuredClone", "queueMicrotask", "atob", "btoa":
		return true
	}
	return false
}

// Delete implements [goja.DynamicObject].
func (l *lazyGlobals) Delete(string) bool { return false }

// Keys implements [goja.DynamicObject]; globals are not enumerated.
func (l *lazyGlobals) Keys() []string { return nil }

func (r *Realm) makeGlobal(name string) (goja.Value, error) {
	switch name {
	case "console":
		return r.console(), nil
	case "setTimeout":
		return r.vm.ToValue(r.setTimer(false, false)), nil
	case "setInterval":
		return r.vm.ToValue(r.setTimer(true, false)), nil
	case "setImmediate":
		set := r.setTimer(false, false)
		return r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			args := []goja.Value{f.Argument(0), r.vm.ToValue(0)}
			if len(f.Arguments) > 1 {
				args = append(args, f.Arguments[1:]...)
			}
			return set(goja.FunctionCall{This: f.This, Arguments: args})
		}), nil
	case "clearTimeout", "clearInterval", "clearImmediate":
		return r.vm.ToValue(r.clearTimer), nil
	case "URL", "URLSearchParams":
		return r.nodeModule(url.ModuleName, name)
	case "Buffer":
		return r.nodeModule(buffer.ModuleName, name)
	}
	if r.globals == nil {
		build, err := r.function(globalsProgram())
		if err != nil {
			return nil, err
		}
		made, err := build(goja.Undefined(), r.native())
		if err != nil {
			return nil, err
		}
		r.globals = made.ToObject(r.vm)
	}
	return r.globals.Get(name), nil
}

// nodeModule returns an export of a built-in module. There are no others: the loader reads
// nothing.
func (r *Realm) nodeModule(module, name string) (goja.Value, error) {
	if r.modules == nil {
		registry := require.NewRegistry(require.WithLoader(func(string) ([]byte, error) {
			return nil, require.ModuleFileDoesNotExistError
		}))
		r.modules = registry.Enable(r.vm)
		if err := r.vm.GlobalObject().Delete("require"); err != nil { // Enable defines it
			return nil, err
		}
	}
	exports, err := r.modules.Require(module)
	if err != nil {
		return nil, err
	}
	return exports.ToObject(r.vm).Get(name), nil
}

// native has the functions of globals.js that are written in Go.
func (r *Realm) native() goja.Value {
	n := r.vm.NewObject()
	set := func(name string, f func(goja.FunctionCall) goja.Value) { _ = n.Set(name, f) }
	set("setTimeout", r.setTimer(false, true))
	set("encode", func(f goja.FunctionCall) goja.Value {
		return r.vm.ToValue(r.vm.NewArrayBuffer([]byte(strings.ToValidUTF8(f.Argument(0).String(), "\ufffd"))))
	})
	set("decode", func(f goja.FunctionCall) goja.Value {
		var data []byte
		if err := r.vm.ExportTo(f.Argument(0), &data); err != nil {
			panic(r.vm.NewTypeError("TextDecoder needs a typed array or an ArrayBuffer"))
		}
		text := strings.TrimPrefix(string(data), "\ufeff")
		if !utf8.ValidString(text) {
			if f.Argument(1).ToBoolean() {
				panic(r.vm.NewTypeError("the bytes are not UTF-8"))
			}
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		return r.vm.ToValue(text)
	})
	set("atob", func(f goja.FunctionCall) goja.Value {
		text := strings.TrimRight(strings.Join(strings.Fields(f.Argument(0).String()), ""), "=")
		data, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil {
			return goja.Null()
		}
		chars := make([]rune, len(data))
		for i, c := range data {
			chars[i] = rune(c)
		}
		return r.vm.ToValue(string(chars))
	})
	set("btoa", func(f goja.FunctionCall) goja.Value {
		var data []byte
		for _, c := range f.Argument(0).String() {
			if c > 0xff {
				return goja.Null()
			}
			data = append(data, byte(c))
		}
		return r.vm.ToValue(base64.StdEncoding.EncodeToString(data))
	})
	return n
}
