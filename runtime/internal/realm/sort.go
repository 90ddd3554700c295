package realm

import (
	"github.com/dop251/goja"
)

// steadyProgram makes a comparator that never returns -0, which the engine takes for less.
var steadyProgram = program("steady", `((compare) => (a, b) => +compare(a, b) || 0)`)

// steadySort is a function of typed arrays that takes a comparator.
func steadySort(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		if _, ok := goja.AssertFunction(call.Argument(0)); !ok {
			return must(original(call.This, call.Arguments...))
		}
		return must(original(call.This, r.must(steadyProgram(), call.Argument(0))))
	}
}

// elsewhereProgram sorts what is no plain array, and fills lists. The engine sorts an array in
// place: a comparator saw it half sorted, and one that made it shorter ended the run. The values
// lie where no accessor that a script gave all objects is asked.
var elsewhereProgram = program("sort", `((sort) => ({
	sort(list, compare) {
		const values = { __proto__: null, length: 0 }, given = +list.length, length = given > 0 ? given - given % 1 : 0;
		for (let i = 0; i < length; i++) if (i in list) values[values.length++] = list[i];
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
	sort, fill goja.Callable // nil in toSorted
}

func (r *Realm) newSorting() *sorting {
	s := &sorting{r: r}
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
		values := s.values(list)
		if values == nil {
			must(s.sort(goja.Undefined(), list, call.Argument(0)))
			return list
		}
		sorted := s.sorted(values, compare)
		if values = s.values(list); len(values) >= len(sorted) {
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
			if values := s.values(list); values != nil {
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

// values are the elements of a plain array, which are its own: the engine gives those to a
// function that is applied to it. It copies those of any other list, also of one with holes; nil.
func (s *sorting) values(list *goja.Object) []goja.Value {
	if list.ClassName() != "Array" || list.ExportType() == proxyType {
		return nil
	}
	own := func() []goja.Value {
		defer func() { s.taken = nil }()
		must(s.apply(s.take, goja.Undefined(), list))
		return s.taken
	}
	first := own()
	if again := own(); len(first) == 0 || len(again) != len(first) || &again[0] != &first[0] {
		return nil
	}
	return first
}

// sorted is a sorted copy of values, with what is undefined at its end.
func (s *sorting) sorted(values []goja.Value, compare goja.Callable) []goja.Value {
	sorted := make([]goja.Value, 0, len(values))
	for _, v := range values {
		if !goja.IsUndefined(v) {
			sorted = append(sorted, v)
		}
	}
	order := func(a, b goja.Value) float64 {
		result := must(compare(goja.Undefined(), a, b))
		var n float64
		if isNumeric(result) {
			n = result.ToFloat()
		} else {
			n = s.r.number(result)
		}
		if n != n {
			return 0
		}
		return n
	}
	(&timSort{list: sorted, order: order}).sort()
	for len(sorted) < len(values) {
		sorted = append(sorted, goja.Undefined())
	}
	return sorted
}
