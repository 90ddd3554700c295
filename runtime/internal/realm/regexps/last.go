package regexps

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// lastMatch is what the properties of RegExp are about that tell of the last match. Only
// realms whose source seems to ask for them have one.
type lastMatch struct {
	text  goja.String // that was searched
	input goja.String // the same, unless a script has set it
	found []int32
}

func (l *lastMatch) keep(s goja.String, found []int32) {
	l.text, l.input, l.found = s, s, append(l.found[:0], found...)
}

// part is a part of the text.
func (l *lastMatch) part(from, to int32) goja.Value { return l.text.Substring(int(from), int(to)) }

// group is what a group captured, and empty if there is no such group.
func (l *lastMatch) group(n int) goja.Value {
	if n >= len(l.found)/2 || l.found[2*n] < 0 {
		return l.part(0, 0)
	}
	return l.part(l.found[2*n], l.found[2*n+1])
}

// names of the properties, in pairs, and their values.
var lastParts = []struct {
	name, short string
	value       func(l *lastMatch) goja.Value
}{
	{"input", "$_", func(l *lastMatch) goja.Value { return l.input }},
	{"lastMatch", "$&", func(l *lastMatch) goja.Value { return l.group(0) }},
	{"lastParen", "$+", func(l *lastMatch) goja.Value { return l.group(max(len(l.found)/2-1, 1)) }},
	{"leftContext", "$`", func(l *lastMatch) goja.Value { return l.part(0, l.found[0]) }},
	{"rightContext", "$'", func(l *lastMatch) goja.Value { return l.part(l.found[1], int32(l.text.Length())) }},
}

// AsksForLast reports whether a source may read what RegExp tells of the last match, such as
// RegExp.$1: the names, what puts them together, and lists of properties.
func AsksForLast(source string) bool {
	if !strings.Contains(source, "RegExp") && !strings.Contains(source, ".constructor") {
		return false
	}
	for _, name := range []string{"RegExp[", "getOwnProperty", "ownKeys", "Context", "lastMatch", "lastParen", "input", `\u`, `\x`} {
		if strings.Contains(source, name) {
			return true
		}
	}
	for at := strings.IndexByte(source, '$'); at >= 0 && at+1 < len(source); {
		if strings.IndexByte("123456789_&+`'\"$", source[at+1]) >= 0 {
			return true
		}
		next := strings.IndexByte(source[at+1:], '$')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// InstallLast gives RegExp the properties of the last match, after [World.Install]. As in
// Node, matches of every regular expression count, and writing is in vain but for input.
func (w *World) InstallLast() error {
	if w.lastMatch != nil {
		return nil
	}
	empty := w.vm.ToValue("").(goja.String)
	w.lastMatch = &lastMatch{text: empty, input: empty, found: []int32{0, 0}}
	if thrown := w.vm.Try(w.defineLast); thrown != nil {
		return thrown
	}
	return nil
}

func (w *World) defineLast() {
	define := func(name string, value func(l *lastMatch) goja.Value, set *goja.Object) {
		get := w.function("get "+name, 0, func(goja.FunctionCall) goja.Value { return value(w.lastMatch) })
		w.must(w.constructor.DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	inVain := w.function("set", 1, func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	for _, p := range lastParts {
		set := inVain
		if p.name == "input" {
			set = w.function("set input", 1, func(call goja.FunctionCall) goja.Value {
				w.lastMatch.input = w.toString(call.Argument(0))
				return goja.Undefined()
			})
		}
		define(p.name, p.value, set)
		define(p.short, p.value, set)
	}
	for n := 1; n <= 9; n++ {
		define("$"+strconv.Itoa(n), func(l *lastMatch) goja.Value { return l.group(n) }, inVain)
	}
}
