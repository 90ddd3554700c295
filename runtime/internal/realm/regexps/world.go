package regexps

import (
	"errors"
	"reflect"
	"unicode/utf16"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// maxKnown bounds the patterns that a realm keeps at hand.
const maxKnown = 256

// World has the regular expressions of one realm. It is for the realm's goroutine.
type World struct {
	vm        *goja.Runtime
	stopped   func() bool
	installed bool

	constructor *goja.Object // RegExp
	prototype   *goja.Object
	exec        *goja.Object // RegExp.prototype.exec, as it was made
	native      natives
	iterators   *goja.Object // what the results of matchAll inherit from
	newIterator goja.Callable

	known     map[string]*pattern // by key
	last      *goja.Object        // the object that was used last
	lastUsed  *pattern            // its pattern
	matcher   regex.Matcher
	matches   int
	text      subject
	lastMatch *lastMatch // nil unless a source asks for it
}

// New makes a world. stopped reports whether the run is over: matches end then.
func New(vm *goja.Runtime, stopped func() bool) *World {
	w := &World{vm: vm, stopped: stopped, known: map[string]*pattern{}}
	w.matcher.Stop = stopped
	return w
}

// pattern is what a regular expression is made of, apart from its object.
type pattern struct {
	key     string
	units   []uint16
	flags   regex.Flags
	program *regex.Program
	source  goja.Value   // as scripts read it; nil until one did
	shell   *goja.Object // one of its objects, which no script sees; others are copied from it
	made    bool         // an object was made of it
}

// patternOf returns the pattern of a regular expression, and nil for every other object.
func (w *World) patternOf(object *goja.Object) *pattern {
	if object == w.last {
		return w.lastUsed
	}
	if object == w.prototype || object.ClassName() != "RegExp" {
		return nil
	}
	source, err := w.native.source(object)
	if err != nil { // a proxy
		return nil
	}
	key := source.String()
	p := w.known[key]
	if p == nil {
		units, flags, ok := decode(key)
		if !ok { // of a program of ours, which is not rewritten
			units, flags, key = utf16.Encode([]rune(key)), w.engineFlags(object), ""
		}
		p = w.compile(key, units, flags)
	}
	w.last, w.lastUsed = object, p
	return p
}

// compile makes a pattern, which it keeps under its key. It throws a SyntaxError.
func (w *World) compile(key string, units []uint16, flags regex.Flags) *pattern {
	program, err := regex.Get(units, flags, w.stopped)
	if err != nil {
		w.fail(err, units, flags)
	}
	p := &pattern{key: key, units: units, flags: flags, program: program}
	if key != "" {
		if len(w.known) >= maxKnown {
			clear(w.known)
		}
		w.known[key] = p
	}
	return p
}

// fail throws what an error of the engine means.
func (w *World) fail(err error, units []uint16, flags regex.Flags) {
	var bad *regex.SyntaxError
	switch {
	case errors.Is(err, regex.ErrStopped):
		w.interrupt()
	case errors.As(err, &bad):
		w.throw("SyntaxError", describe(units, flags, err))
	}
	w.throw("RangeError", describe(units, flags, err))
}

var endlessProgram = goja.MustCompile("scriptrun:endless", "for (;;) {}", true)

// interrupt ends the script as the engine does when it is interrupted, which it was, or is in
// this moment.
func (w *World) interrupt() {
	_, err := w.vm.RunProgram(endlessProgram)
	panic(err)
}

// match matches, or ends the run. What it returns is valid until the next match.
func (w *World) match(p *pattern, s goja.String, at int, sticky bool) []int32 {
	if w.matches++; w.matches&1023 == 0 && w.stopped() { // a match asks for itself if it is long
		w.interrupt()
	}
	groups, err := w.matcher.Match(p.program, w.text.of(s), at, sticky)
	if err != nil {
		w.fail(err, p.units, p.flags)
	}
	if w.lastMatch != nil && groups != nil && p.key != "" { // of a script
		w.lastMatch.keep(s, groups)
	}
	return groups
}

// make makes a regular expression. It throws a SyntaxError.
func (w *World) make(units []uint16, flags regex.Flags) *goja.Object {
	key := encode(units, flags)
	p := w.known[key]
	if p == nil {
		p = w.compile(key, units, flags)
	}
	if !p.made { // most are made once
		p.made = true
		return w.native.object(w.vm.ToValue(p.key), w.vm.ToValue((flags & nativeFlags).String()))
	}
	if p.shell == nil {
		p.shell = w.native.object(w.vm.ToValue(p.key), w.vm.ToValue((flags & nativeFlags).String()))
		w.must(p.shell.DefineDataPropertySymbol(goja.SymMatch, w.vm.ToValue(true), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
	}
	return w.native.object(p.shell)
}

// subject turns strings of the engine into texts. Scripts match one string often: it keeps
// what it made last.
type subject struct {
	last  string
	text  regex.Text
	valid bool
}

var unitsType = reflect.TypeFor[[]uint16]()

// of returns the text of a string. It is valid until the next call.
func (t *subject) of(s goja.String) regex.Text {
	if v := reflect.ValueOf(s); v.Kind() == reflect.Slice { // units, after a mark
		return regex.UTF16(v.Convert(unitsType).Interface().([]uint16)[1:])
	}
	content := s.String()
	if t.valid && content == t.last { // of one string, this compares pointers
		return t.text
	}
	t.last, t.valid = content, true
	if isASCII(content) {
		t.text = regex.ASCII([]byte(content))
	} else {
		t.text = regex.UTF16(utf16.Encode([]rune(content)))
	}
	return t.text
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// units returns the code units of a string.
func units(s goja.String) []uint16 {
	if v := reflect.ValueOf(s); v.Kind() == reflect.Slice {
		return v.Convert(unitsType).Interface().([]uint16)[1:]
	}
	return utf16.Encode([]rune(s.String()))
}
