package realm

import (
	"errors"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/realm/web"
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
	case "console", "setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate":
		return true
	}
	return web.Has(name)
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
	}
	if r.web == nil {
		r.web = web.New(r.webHost())
	}
	return r.web.Global(name)
}

// webHost is what the globals of the web platform need of a realm.
func (r *Realm) webHost() web.Host {
	return web.Host{
		VM:      r.vm,
		After:   func(d time.Duration, wait bool, f goja.Callable) { r.timers.add(f, d, 0, !wait, nil) },
		Now:     r.timers.clock.now,
		Elapsed: func() time.Duration { return r.timers.clock.elapsed() },
		Random:  r.random,
		Room:    r.room,
		Stopped: r.stopped.Load,
	}
}

// room is the most bytes that one object may take: the memory of the cell.
func (r *Realm) room() int64 {
	if most := r.start.MaxMemoryBytes; most > 0 {
		return most
	}
	return defaultRoom
}

// defaultRoom is that of a realm whose memory nobody limits.
const defaultRoom = 1 << 30
