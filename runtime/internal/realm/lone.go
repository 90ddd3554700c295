package realm

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// lonely are the functions for which the engine makes texts of Go, which have no halves of
// surrogate pairs. They are called often: what is nothing but ASCII does not get to the engine.
var lonely = []namedMending{
	{sizedFunction{"String", "trim", true}, "", trimming(true, true)},
	{sizedFunction{"String", "trimStart", true}, "", trimming(true, false)},
	{sizedFunction{"String", "trimEnd", true}, "", trimming(false, true)},
	{sizedFunction{"String", "toLowerCase", true}, "", inParts(strings.ToLower)},
	{sizedFunction{"String", "toUpperCase", true}, "", inParts(strings.ToUpper)},
	{sizedFunction{"String", "normalize", true}, "", inParts(nil)},
}

// lonelyWords are what a source has that needs them: those for a locale use the others.
var lonelyWords = map[string][]string{
	"trim": {"trim"}, "trimStart": {"trimStart", "trimLeft"}, "trimEnd": {"trimEnd", "trimRight"},
	"toLowerCase": {"LowerCase"}, "toUpperCase": {"UpperCase"}, "normalize": {"normalize"},
}

// lonelyIn returns those for what is in a source.
func lonelyIn(source string) (found []mending) {
	for _, m := range lonely {
		if slices.ContainsFunc(lonelyWords[m.name], func(word string) bool { return strings.Contains(source, word) }) {
			found = append(found, mending{m.sizedFunction, m.around})
		}
	}
	return found
}

// textOf is the text that a function of texts is called on; ok is false if the engine has to say
// that it is none.
func (r *Realm) textOf(this goja.Value) (text goja.String, ok bool) {
	if text, ok = this.(goja.String); ok {
		return text, true
	}
	if _, symbol := this.(*goja.Symbol); symbol || isNothing(this) {
		return nil, false
	}
	primitive := this.ToString()
	if _, symbol := primitive.(*goja.Symbol); symbol {
		return nil, false
	}
	if text, ok = primitive.(goja.String); !ok { // a number
		text, ok = r.vm.ToValue(primitive.String()).(goja.String)
	}
	return text, ok
}

// whitespace is what trim takes away.
const whitespace = " \f\n\r\t\v\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

func isSpace(unit uint16) bool {
	return strings.ContainsRune(whitespace, rune(unit)) && !utf16.IsSurrogate(rune(unit))
}

// trimming is trim, trimStart or trimEnd.
func trimming(start, end bool) func(*Realm, goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			text, ok := r.textOf(call.This)
			if !ok {
				return must(original(call.This))
			}
			from, to := 0, text.Length()
			for start && from < to && isSpace(text.CharAt(from)) {
				from++
			}
			for end && from < to && isSpace(text.CharAt(to-1)) {
				to--
			}
			return text.Substring(from, to)
		}
	}
}

// inParts is a function that is called on the parts between halves of pairs. short does the same
// to ASCII, to which normalize does nothing.
func inParts(short func(string) string) func(*Realm, goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			value, ok := r.textOf(call.This)
			if !ok {
				return must(original(call.This, call.Arguments...))
			}
			text := value.String()
			if short != nil && len(text) == value.Length() {
				if changed := short(text); changed != text {
					return r.vm.ToValue(changed)
				}
				return value
			}
			if !strings.ContainsRune(text, utf8.RuneError) {
				return must(original(value, call.Arguments...))
			}
			args := call.Arguments
			if len(args) > 0 && !goja.IsUndefined(args[0]) {
				if _, symbol := args[0].(*goja.Symbol); !symbol {
					args = []goja.Value{args[0].ToString()} // once
				}
			}
			return r.betweenHalves(value, func(part goja.Value) goja.String {
				return must(original(part, args...)).(goja.String)
			})
		}
	}
}

// betweenHalves changes the parts of a text between halves of surrogate pairs.
func (r *Realm) betweenHalves(text goja.String, change func(goja.Value) goja.String) goja.Value {
	length := text.Length()
	out := make([]uint16, 0, length)
	flush := func(from, to int) {
		part := change(text.Substring(from, to))
		for i := range part.Length() {
			out = append(out, part.CharAt(i))
		}
	}
	begin := 0
	for i := 0; i < length; i++ {
		c := rune(text.CharAt(i))
		if !utf16.IsSurrogate(c) {
			continue
		}
		if i+1 < length && utf16.DecodeRune(c, rune(text.CharAt(i+1))) != utf8.RuneError {
			i++
			continue
		}
		if begin < i {
			flush(begin, i)
		}
		out = append(out, uint16(c)) //nolint:gosec // a code unit
		begin = i + 1
		if len(out)&1023 == 0 && r.stopped.Load() {
			return goja.StringFromUTF16(out) // the engine ends the script
		}
	}
	flush(begin, length) // even if it is empty: the engine may refuse the arguments
	return goja.StringFromUTF16(out)
}
