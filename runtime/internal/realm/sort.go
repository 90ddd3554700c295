package realm

import (
	"slices"

	"github.com/dop251/goja"
)

// steadyProgram makes a comparator that never returns -0, which the engine takes for less.
var steadyProgram = program("steady", `((compare) => (a, b) => +compare(a, b) || 0)`)

// elsewhereProgram sorts what is no plain array, and fills lists. The engine sorts an array in
// place: a comparator saw it half sorted, and one that made it shorter ended the run. The values
// lie where no accessor that a script gave all objects is asked.
var elsewhereProgram = program("sort", `((sort) => ({
	sort(list, compare, read) {
		const values = { __proto__: null, length: 0 }, given = +(read ?? list).length, length = given > 0 ? given - given % 1 : 0;
		for (let i = 0; i < length; i++) if (i in list) values[values.length++] = (read ?? list)[i];
		sort(values, compare);
		let at = 0;
		for (; at < values.length; at++) list[at] = values[at];
		for (; at < length; at++) delete list[at];
	},
	fill(list, values) {
		for (let i = 0; i < values.length; i++) list[i] = values[i];
	},
}))`)

// sorting are the parts of sort and toSorted of arrays in one realm.
type sorting struct {
	r          *Realm
	apply      goja.Callable // of functions
	take       *goja.Object  // a function that takes its arguments
	taken      []goja.Value
	describe   goja.Callable // of a property
	mark       *goja.Object  // that no script has
	sort, fill goja.Callable // nil in toSorted
}

func (r *Realm) newSorting() *sorting {
	s := &sorting{r: r, mark: r.vm.NewObject()}
	s.describe, _ = directly(r.vm.Get("Object").(*goja.Object).Get("getOwnPropertyDescriptor"))
	s.apply, _ = directly(r.noFunction.Get("prototype").(*goja.Object).Get("apply"))
	s.take = r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		s.taken = call.Arguments
		return goja.Undefined()
	}).(*goja.Object)
	return s
}

// sortArray is sort of arrays.
func sortArray(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	s := r.newSorting()
	parts := r.must(elsewhereProgram(), r.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		return must(original(call.Argument(0), r.must(steadyProgram(), call.Argument(1))))
	})).(*goja.Object)
	s.sort, _ = goja.AssertFunction(parts.Get("sort"))
	s.fill, _ = goja.AssertFunction(parts.Get("fill"))
	return func(call goja.FunctionCall) goja.Value {
		compare, ok := goja.AssertFunction(call.Argument(0))
		if !ok || isNothing(call.This) {
			return must(original(call.This, call.Arguments...))
		}
		list := call.This.ToObject(r.vm)
		values, own := s.values(list)
		if !own {
			read := goja.Undefined()
			if values != nil {
				read = r.arrayOf(values)
			}
			must(s.sort(goja.Undefined(), list, call.Argument(0), read))
			return list
		}
		sorted := s.sorted(values, compare)
		if values, own = s.values(list); own && len(values) >= len(sorted) {
			copy(values, sorted)
		} else { // the comparator changed the array
			must(s.fill(goja.Undefined(), list, r.arrayOf(sorted)))
		}
		return list
	}
}

// toSortedArray is toSorted of arrays.
func toSortedArray(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	s := r.newSorting()
	return func(call goja.FunctionCall) goja.Value {
		compare, ok := goja.AssertFunction(call.Argument(0))
		if !ok {
			return must(original(call.This, call.Arguments...))
		}
		if list, ok := call.This.(*goja.Object); ok {
			if values, _ := s.values(list); values != nil {
				return r.arrayOf(s.sorted(values, compare))
			}
		}
		return must(original(call.This, r.must(steadyProgram(), call.Argument(0))))
	}
}

func (r *Realm) arrayOf(values []goja.Value) goja.Value {
	items := make([]any, len(values))
	for i, v := range values {
		items[i] = v
	}
	return r.vm.NewArray(items...)
}

// values are the elements of an array; nil if it is none. The engine gives those of a plain array
// themselves to a function that is applied to it, and a copy of those of any other, also of one
// with holes; own says which. To ask twice is the fastest way to know, but accessors can count
// that: where there may be holes, own looks at an element.
func (s *sorting) values(list *goja.Object) (values []goja.Value, own bool) {
	if list.ClassName() != "Array" || list.ExportType() == proxyType {
		return nil, false
	}
	values = s.read(list)
	if slices.ContainsFunc(values, goja.IsUndefined) {
		return values, s.owns(list, values)
	}
	again := s.read(list)
	return values, len(values) > 0 && len(again) == len(values) && &again[0] == &values[0]
}

func (s *sorting) read(list *goja.Object) []goja.Value {
	defer func() { s.taken = nil }()
	must(s.apply(s.take, goja.Undefined(), list))
	return s.taken
}

// owns reports whether values are those of a list, and no copy: it finds a mark in the list.
func (s *sorting) owns(list *goja.Object, values []goja.Value) bool {
	at := slices.IndexFunc(values, func(v goja.Value) bool { return !goja.IsUndefined(v) })
	if at < 0 {
		return false
	}
	was := values[at]
	values[at] = s.mark
	property, ok := must(s.describe(goja.Undefined(), list, s.r.vm.ToValue(at))).(*goja.Object)
	values[at] = was
	return ok && property.Get("value") == s.mark
}

// sorted is a sorted copy of values, with what is undefined at its end.
func (s *sorting) sorted(values []goja.Value, compare goja.Callable) []goja.Value {
	sorted := make([]goja.Value, 0, len(values))
	for _, v := range values {
		if !goja.IsUndefined(v) {
			sorted = append(sorted, v)
		}
	}
	(&timSort{list: sorted, order: s.r.orderOf(compare)}).sort()
	for len(sorted) < len(values) {
		sorted = append(sorted, goja.Undefined())
	}
	return sorted
}
