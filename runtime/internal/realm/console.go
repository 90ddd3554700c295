package realm

import (
	_ "embed" // console.js
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

var (
	//go:embed console.js
	consoleSource string

	consoleProgram = program("console", consoleSource)
)

// console makes the console object. Each call is one log entry, with strings as they are,
// errors with their stack, and other values as JSON. The methods that few scripts call are on
// its prototype, which makes them when they are read.
func (r *Realm) console() goja.Value {
	c := r.vm.CreateObject(r.vm.NewDynamicObject(&rareMethods{realm: r}))
	for _, level := range []string{"log", "info", "warn", "error", "debug"} {
		_ = c.Set(level, r.named(level, func(f goja.FunctionCall) goja.Value {
			r.log(level, r.format(f.Arguments))
			return goja.Undefined()
		}))
	}
	_ = c.DefineDataPropertySymbol(goja.SymToStringTag, r.vm.ToValue("console"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return c
}

// named is a native function with a name.
func (r *Realm) named(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	value := r.vm.ToValue(f).(*goja.Object)
	_ = value.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return value
}

// rareMethods is the prototype of console.
type rareMethods struct {
	realm *Realm
	added map[string]goja.Value // by the script
}

// Get implements [goja.DynamicObject].
func (m *rareMethods) Get(name string) goja.Value {
	if value, ok := m.added[name]; ok {
		return value
	}
	if !isRare(name) {
		return nil
	}
	return m.realm.rareConsole().Get(name)
}

// Set implements [goja.DynamicObject].
func (m *rareMethods) Set(name string, value goja.Value) bool {
	if m.added == nil {
		m.added = map[string]goja.Value{}
	}
	m.added[name] = value
	return true
}

// Has implements [goja.DynamicObject].
func (m *rareMethods) Has(name string) bool {
	_, ok := m.added[name]
	return ok || isRare(name)
}

// Delete implements [goja.DynamicObject].
func (m *rareMethods) Delete(name string) bool {
	delete(m.added, name)
	return true
}

// Keys implements [goja.DynamicObject]; the rare methods are not enumerated.
func (m *rareMethods) Keys() []string { return nil }

func isRare(name string) bool {
	switch name {
	case "table", "group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog", "dir", "dirxml",
		"count", "countReset", "assert", "trace":
		return true
	}
	return false
}

// rareConsole has the rare methods.
func (r *Realm) rareConsole() *goja.Object {
	if r.rarer == nil {
		native := r.vm.NewObject()
		set := func(name string, f func(goja.FunctionCall) goja.Value) { _ = native.Set(name, f) }
		set("log", func(f goja.FunctionCall) goja.Value {
			r.log(f.Argument(0).String(), f.Argument(1).String())
			return goja.Undefined()
		})
		set("format", func(f goja.FunctionCall) goja.Value { return r.vm.ToValue(r.format(f.Arguments)) })
		set("inspect", func(f goja.FunctionCall) goja.Value { return r.vm.ToValue(r.inspect(f.Argument(0))) })
		set("elapsed", func(goja.FunctionCall) goja.Value {
			return r.vm.ToValue(float64(r.timers.clock.elapsed().Microseconds()) / 1000)
		})
		set("indent", func(f goja.FunctionCall) goja.Value {
			r.indent = strings.Repeat("  ", int(min(max(f.Argument(0).ToInteger(), 0), maxIndent)))
			return goja.Undefined()
		})
		set("places", func(goja.FunctionCall) goja.Value {
			var lines strings.Builder
			for _, p := range r.places(r.vm.CaptureCallStack(maxPlaces, nil)) {
				lines.WriteString("\n    at " + placeText(r.from.shown(p.File, r.start.Name), p))
			}
			return r.vm.ToValue(lines.String())
		})
		build, err := r.function(consoleProgram())
		if err != nil {
			panic(err)
		}
		made, err := build(goja.Undefined(), native)
		if err != nil {
			panic(err)
		}
		r.rarer = made.ToObject(r.vm)
	}
	return r.rarer
}

// maxIndent is the deepest group that is indented.
const maxIndent = 20

// log emits one entry. An entry longer than half of the host's limit for all entries keeps a
// quarter of the limit at each end.
func (r *Realm) log(level, text string) {
	quarter := int(min(r.start.MaxOutputBytes, wire.MaxHead/8) / 4)
	head := wire.Log{Level: level, Bytes: int64(len(text)), Text: text}
	if len(text) > 2*quarter {
		head.Text, head.Tail = clip.Head(text, quarter), clip.Tail(text, quarter)
	} else if r.indent != "" {
		if head.Text = r.indent + strings.ReplaceAll(text, "\n", "\n"+r.indent); len(head.Text) > 2*quarter {
			head.Text, head.Tail = clip.Head(head.Text, quarter), clip.Tail(head.Text, quarter)
		}
		head.Bytes = int64(len(text) + len(r.indent)*(1+strings.Count(text, "\n")))
	}
	if frame, err := wire.New(wire.KindLog, head, nil); err == nil {
		r.emit(frame)
	}
}
