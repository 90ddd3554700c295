package realm

import (
	"errors"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// The engine hands natives no value for what is missing in an array, and some of them fail at it
// in a way that ends the realm. What follows is mended where the names are in a source, as
// [sizedIn] does.

// calling are functions that call what they get, at a place among their arguments.
var calling = []struct {
	sizedFunction
	at int
}{
	{sizedFunction{"Array", "from", false}, 1},
	{sizedFunction{"Array", "find", true}, 0},
	{sizedFunction{"Array", "findIndex", true}, 0},
	{sizedFunction{"Array", "findLast", true}, 0},
	{sizedFunction{"Array", "findLastIndex", true}, 0},
}

// failing are functions that fail at arguments for which the language has another answer, which
// is nearly always a TypeError.
var failing = []struct {
	sizedFunction
	with string // has to be in the source as well
	text string // of the error
}{
	{sizedFunction{"Object", "fromEntries", false}, "", "an entry has no key"},
	{sizedFunction{"Object", "defineProperty", false}, "", noValue},
	{sizedFunction{"Object", "defineProperties", false}, "", noValue},
	{sizedFunction{"Reflect", "defineProperty", false}, "Reflect", noValue},
	{sizedFunction{"Object", "toLocaleString", true}, "", "toString is not a function"},
	{sizedFunction{"Set", "union", true}, "keys", noIterator},
	{sizedFunction{"Set", "intersection", true}, "keys", noIterator},
	{sizedFunction{"Set", "difference", true}, "keys", noIterator},
	{sizedFunction{"Set", "symmetricDifference", true}, "keys", noIterator},
	{sizedFunction{"Set", "isSupersetOf", true}, "keys", noIterator},
	{sizedFunction{"Set", "isDisjointFrom", true}, "keys", noIterator},
	{sizedFunction{"Object", "getOwnPropertyNames", false}, "revoke", revoked},
	{sizedFunction{"Object", "getOwnPropertySymbols", false}, "revoke", revoked},
	{sizedFunction{"Object", "keys", false}, "revoke", revoked},
	{sizedFunction{"Reflect", "ownKeys", false}, "revoke", revoked},
}

const (
	noValue    = "a property of a typed array needs a value"
	noIterator = "next of what keys returned is not a function"
	revoked    = "the proxy was revoked"
	noBase     = "a class needs a prototype while its constructor calls super"
)

// mending are functions that are mended, each with what to do about it.
type mending struct {
	function sizedFunction
	around   func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value
}

// namedMending is one for sources that have the function's name, and another word if there is one.
type namedMending struct {
	sizedFunction
	with   string
	around func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value
}

// mendingsIn returns those for what is in a source.
func mendingsIn(source string) (found []mending) {
	for _, c := range calling {
		if strings.Contains(source, c.name) {
			found = append(found, mending{c.sizedFunction, func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
				return func(call goja.FunctionCall) goja.Value {
					if c.at < len(call.Arguments) {
						call.Arguments[c.at] = r.whole(call.Arguments[c.at])
					}
					return must(original(call.This, call.Arguments...))
				}
			}})
		}
	}
	for _, f := range failing {
		if strings.Contains(source, f.name) && strings.Contains(source, f.with) {
			found = append(found, mending{f.sizedFunction, func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
				return func(call goja.FunctionCall) goja.Value {
					defer func() {
						if p := recover(); p != nil {
							if lacking(p) {
								panic(r.newError("TypeError", f.text))
							}
							panic(p)
						}
					}()
					return must(original(call.This, call.Arguments...))
				}
			}})
		}
	}
	for _, m := range slices.Concat(zeroes, numbers) {
		if strings.Contains(source, m.name) && strings.Contains(source, m.with) {
			found = append(found, mending{m.sizedFunction, m.around})
		}
	}
	found = append(found, lonelyIn(source)...)
	found = append(found, endlessIn(source)...)
	if strings.Contains(source, "replaceAll") {
		found = append(found, mending{sizedFunction{"String", "replaceAll", true}, replaceNothing})
	}
	if strings.Contains(source, "getOwnPropertyDescriptors") {
		found = append(found, mending{sizedFunction{"Object", "getOwnPropertyDescriptors", false}, describeLength})
	}
	if strings.Contains(source, "super(") && strings.Contains(source, "setPrototypeOf") {
		for _, owner := range []string{"Object", "Reflect"} {
			found = append(found, mending{sizedFunction{owner, "setPrototypeOf", false}, keepBase})
		}
	}
	return found
}

// replaceNothing is replaceAll, with which the engine never ends if it replaces nothing in a
// string that is not ASCII.
func replaceNothing(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		search, text := call.Argument(0), call.This
		if o, ok := search.(*goja.Object); ok && o.ClassName() != "RegExp" && isNothing(o.GetSymbol(goja.SymMatch)) && isNothing(o.GetSymbol(goja.SymReplace)) && !isNothing(text) {
			if _, symbol := text.(*goja.Symbol); !symbol {
				text = text.ToString()
			}
			if _, symbol := text.(*goja.Symbol); !symbol { // the engine throws at those
				search = o.ToString()
			}
		}
		s, ok1 := text.(goja.String)
		if empty, ok2 := search.(goja.String); ok1 && ok2 && empty.Length() == 0 {
			return r.regexps.ReplaceNothing(s, call.Argument(1))
		}
		return must(original(text, search, call.Argument(1)))
	}
}

// describeLength is getOwnPropertyDescriptors, with which the engine loses the length of an array.
func describeLength(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	one, _ := directly(r.vm.Get("Object").(*goja.Object).Get("getOwnPropertyDescriptor"))
	return func(call goja.FunctionCall) goja.Value {
		all := must(original(call.This, call.Arguments...)).(*goja.Object)
		if list, ok := call.Argument(0).(*goja.Object); ok && list.ClassName() == "Array" && list.ExportType() != proxyType {
			must(nil, all.Set("length", must(one(goja.Undefined(), list, r.vm.ToValue("length")))))
		}
		return all
	}
}

// isNothing reports whether a value is undefined or null, or not there.
func isNothing(v goja.Value) bool { return v == nil || goja.IsUndefined(v) || goja.IsNull(v) }

// keepBase refuses to take the prototype of a function, whose constructor may be on its way to it.
func keepBase(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		if _, function := goja.AssertFunction(call.Argument(0)); function && goja.IsNull(call.Argument(1)) {
			panic(r.newError("TypeError", noBase))
		}
		return must(original(call.This, call.Arguments...))
	}
}

// lacking reports whether a panic is the one at a value that is not there.
func lacking(p any) bool {
	bad, ok := p.(goruntime.Error)
	return ok && strings.Contains(bad.Error(), "nil pointer dereference")
}

// mend puts the mended functions in the place of the engine's.
func (r *Realm) mend(mendings []mending) error {
	if len(mendings) == 0 {
		return nil
	}
	var errs []error
	r.sourceOf, _ = goja.AssertFunction(r.noFunction.Get("prototype").(*goja.Object).Get("toString"))
	for _, m := range mendings {
		errs = append(errs, r.replaceFunction(m.function, func(original goja.Callable) func(goja.FunctionCall) goja.Value { return m.around(r, original) }), r.alias(m.function))
	}
	return errors.Join(errs...)
}

// aliases are other properties that have the same function.
var aliases = map[sizedFunction]sizedFunction{
	{"String", "trimStart", true}:     {"String", "trimLeft", true},
	{"String", "trimEnd", true}:       {"String", "trimRight", true},
	{"globalThis", "parseInt", false}: {"Number", "parseInt", false},
}

// alias puts a function that was replaced where else it is.
func (r *Realm) alias(f sizedFunction) error {
	other, ok := aliases[f]
	if !ok {
		return nil
	}
	from, ok1 := r.ownerOf(f)
	to, ok2 := r.ownerOf(other)
	if !ok1 || !ok2 {
		return nil
	}
	return to.DefineDataProperty(other.name, from.Get(f.name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// whole is a function that gets undefined for every argument that is missing. Those of scripts do
// anyway.
func (r *Realm) whole(v goja.Value) goja.Value {
	f, ok := goja.AssertFunction(v)
	if !ok || !r.isNative(v) {
		return v
	}
	return r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		for i, a := range call.Arguments {
			if a == nil {
				call.Arguments[i] = goja.Undefined()
			}
		}
		return must(f(call.This, call.Arguments...))
	})
}

// isNative reports whether a function is none of a script.
func (r *Realm) isNative(f goja.Value) bool {
	if f.ExportType() == reflect.TypeFor[goja.Proxy]() { // at a revoked one, toString fails as well
		return true
	}
	text, err := r.sourceOf(f)
	return err != nil || strings.HasSuffix(text.String(), "{ [native code] }")
}
