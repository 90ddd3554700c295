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

// rareMethods are the methods of console that are made when the first of them is called.
var rareMethods = []string{
	"table", "group", "groupCollapsed", "groupEnd", "time", "timeEnd", "timeLog", "dir", "dirxml",
	"count", "countReset", "assert", "trace",
}

// console makes the console object. Each call is one log entry, with strings as they are,
// errors with their stack, and other values as JSON.
func (r *Realm) console() goja.Value {
	c := r.vm.CreateObject(r.vm.NewObject())
	add := func(name string, f func(goja.FunctionCall) goja.Value) {
		value := r.vm.ToValue(f).(*goja.Object)
		_ = value.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		_ = c.Set(name, value)
	}
	for _, level := range []string{"log", "info", "warn", "error", "debug"} {
		add(level, func(f goja.FunctionCall) goja.Value {
			r.log(level, r.format(f.Arguments))
			return goja.Undefined()
		})
	}
	for _, name := range rareMethods {
		add(name, func(f goja.FunctionCall) goja.Value {
			call, ok := goja.AssertFunction(r.rareConsole().Get(name))
			if !ok {
				return goja.Undefined()
			}
			value, err := call(goja.Undefined(), f.Arguments...)
			if err != nil {
				panic(err)
			}
			return value
		})
	}
	_ = c.DefineDataPropertySymbol(goja.SymToStringTag, r.vm.ToValue("console"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return c
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
				lines.WriteString("\n    at " + placeText(r.start.Name, p))
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
