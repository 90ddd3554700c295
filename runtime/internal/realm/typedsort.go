package realm

import (
	"slices"

	"github.com/dop251/goja"
)

// sortTyped is sort or toSorted of typed arrays with a comparator, of a copy as in V8: it asks the same
// questions, so that a comparator that contradicts itself, such as (a, b) => a < b, gives the same order.
func sortTyped(copies bool) func(*Realm, goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
		prototype := r.vm.Get("Uint8Array").(*goja.Object).Get("prototype").(*goja.Object).Prototype()
		store, _ := directly(prototype.Get("set"))
		copied, _ := directly(prototype.Get("toReversed")) // one of the same class
		sorting := r.newSorting()
		return func(call goja.FunctionCall) goja.Value {
			list, ok := call.This.(*goja.Object)
			compare, calls := goja.AssertFunction(call.Argument(0))
			if !ok || !calls || nameOfArray(list) == "" || lengthOf(elementsOf(list)) == 0 {
				return must(original(call.This, call.Arguments...))
			}
			sorted := list
			if copies {
				sorted = must(copied(list)).(*goja.Object)
			}
			values := slices.Clone(sorting.read(list))
			(&mergeSort{order: r.orderOf(compare)}).sort(values)
			if elementsOf(sorted) != nil { // or it is detached by now
				must(store(sorted, r.arrayOf(values)))
			}
			return sorted
		}
	}
}

// orderOf is how a comparator orders two values; never NaN.
func (r *Realm) orderOf(compare goja.Callable) func(a, b goja.Value) float64 {
	asked := 0
	return func(a, b goja.Value) float64 {
		if asked++; asked&0x3ff == 0 && r.stopped.Load() { // a native comparator never looks
			panic(errStopped)
		}
		result := must(compare(goja.Undefined(), a, b))
		var n float64
		if isNumeric(result) {
			n = result.ToFloat()
		} else {
			n = r.number(result)
		}
		if n != n {
			return 0
		}
		return n
	}
}

// mergeSort sorts as V8 does typed arrays: halves are sorted and merged, from one list into another
// and back (V8's typed-array-sort.tq).
type mergeSort struct {
	order func(a, b goja.Value) float64
}

func (s *mergeSort) sort(list []goja.Value) {
	if len(list) > 1 {
		s.into(list, append([]goja.Value(nil), list...))
	}
}

// into sorts a list, of which from is a copy.
func (s *mergeSort) into(list, from []goja.Value) {
	middle := len(list) / 2
	if middle > 1 {
		s.into(from[:middle], list[:middle])
	}
	if len(list)-middle > 1 {
		s.into(from[middle:], list[middle:])
	}
	left, right := from[:middle], from[middle:]
	for i := range list {
		if len(right) == 0 || len(left) > 0 && s.order(left[0], right[0]) <= 0 {
			list[i], left = left[0], left[1:]
		} else {
			list[i], right = right[0], right[1:]
		}
	}
}
