package regexps

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// flagNames are the accessors of the flags, in the order in which the standard reads them.
var flagNames = []struct {
	flag   regex.Flags
	name   string
	letter byte
}{
	{regex.HasIndices, "hasIndices", 'd'}, {regex.Global, "global", 'g'}, {regex.IgnoreCase, "ignoreCase", 'i'},
	{regex.Multiline, "multiline", 'm'}, {regex.DotAll, "dotAll", 's'}, {regex.Unicode, "unicode", 'u'},
	{regex.UnicodeSets, "unicodeSets", 'v'}, {regex.Sticky, "sticky", 'y'},
}

// nativeFlags are those whose getters are the engine's: its objects have them too.
const nativeFlags = regex.Global | regex.IgnoreCase | regex.Multiline | regex.DotAll | regex.Unicode | regex.Sticky

// engineFlags reads the flags of an object that has no key.
func (w *World) engineFlags(o *goja.Object) regex.Flags {
	var flags regex.Flags
	for _, f := range flagNames {
		if f.flag&nativeFlags != 0 && get(o, f.name).ToBoolean() {
			flags |= f.flag
		}
	}
	return flags
}

// flag is the getter of a flag.
func (w *World) flag(flag regex.Flags, name string) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		o := w.object(call, name)
		if p := w.patternOf(o); p != nil {
			return w.vm.ToValue(p.flags&flag != 0)
		}
		if o == w.prototype {
			return goja.Undefined()
		}
		panic(w.vm.NewTypeError("RegExp.prototype." + name + " called on an object that is no regular expression"))
	}
}

// protoFlags is the getter of flags, which reads the others.
func (w *World) protoFlags(call goja.FunctionCall) goja.Value {
	o := w.object(call, "flags")
	var letters [8]byte
	n := 0
	for i := range flagNames {
		if v := o.Get(flagNames[i].name); v != nil && v.ToBoolean() {
			letters[n] = flagNames[i].letter
			n++
		}
	}
	return w.vm.ToValue(string(letters[:n]))
}

// flags reads the flags of an object that need not be a regular expression.
func (w *World) flags(o *goja.Object) string { return w.toString(get(o, "flags")).String() }

func aboutPoints(flags string) bool { return strings.ContainsAny(flags, "uv") }

// protoSource is the getter of source.
func (w *World) protoSource(call goja.FunctionCall) goja.Value {
	o := w.object(call, "source")
	p := w.patternOf(o)
	switch {
	case p == nil && o == w.prototype:
		return w.vm.ToValue("(?:)")
	case p == nil:
		panic(w.vm.NewTypeError("RegExp.prototype.source called on an object that is no regular expression"))
	case p.source == nil:
		p.source = sourceText(p.units)
	}
	return p.source
}

// sourceText writes a pattern so that it can stand between two slashes.
func sourceText(units []uint16) goja.Value {
	var out goja.StringBuilder
	if len(units) == 0 {
		out.WriteUTF8String("(?:)")
		return out.String()
	}
	class := false
	for i := 0; i < len(units); i++ {
		c := units[i]
		escaped := c == '\\' && i+1 < len(units)
		if escaped {
			i++
			c = units[i]
		}
		text := ""
		switch {
		case c == '\n':
			text = `\n`
		case c == '\r':
			text = `\r`
		case c == 0x2028:
			text = `\u2028`
		case c == 0x2029:
			text = `\u2029`
		case c == '/' && !escaped && !class:
			text = `\/`
		}
		if text != "" {
			out.WriteUTF8String(text)
			continue
		}
		if escaped {
			out.WriteRune('\\')
		} else {
			class = c == '[' || class && c != ']'
		}
		writeUnit(&out, c)
	}
	return out.String()
}

// writeUnit writes a code unit, which may be half of a pair.
func writeUnit(out *goja.StringBuilder, c uint16) { out.WriteRune(rune(c)) }
