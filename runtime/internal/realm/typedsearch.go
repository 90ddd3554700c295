package realm

import (
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/dop251/goja"
)

// found is a function of typed arrays that looks for an element. The engine compares zeros with
// their signs, and BigInts without theirs and by their lowest 64 bits.
func found(last bool, answer func(at int) any) func(*Realm, goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			o, ok := call.This.(*goja.Object)
			wanted := call.Argument(0)
			if !ok || !searchedByUs(o.ExportType(), wanted) {
				return must(original(call.This, call.Arguments...))
			}
			length := lengthOf(elementsOf(o))
			if length == 0 { // or it is detached
				return must(original(call.This, call.Arguments...))
			}
			from, to := 0, length
			if last {
				if to = length; len(call.Arguments) > 1 {
					to = r.behind(call.Argument(1), length)
				}
			} else {
				from = r.relative(call.Argument(1), length)
			}
			return r.vm.ToValue(answer(place(elementsOf(o), wanted, from, to, last))) // it may be detached by now
		}
	}
}

// elementsOf are the elements of a typed array, which are its own; nil if it is detached, at which
// the engine fails.
func elementsOf(o *goja.Object) (list any) {
	defer func() {
		if recover() != nil {
			list = nil
		}
	}()
	if buffer, ok := o.Get("buffer").(*goja.Object); ok {
		if b, ok := buffer.Export().(goja.ArrayBuffer); ok && b.Detached() {
			return nil
		}
	}
	return o.Export()
}

func lengthOf(list any) int {
	if list == nil {
		return 0
	}
	return reflect.ValueOf(list).Len()
}

func searchedByUs(array reflect.Type, wanted goja.Value) bool {
	switch array {
	case float64sType, float32sType:
		return isZero(wanted)
	case int64sType, uint64sType:
		return wanted.ExportType() == bigIntType
	}
	return false
}

var (
	float64sType = reflect.TypeFor[[]float64]()
	float32sType = reflect.TypeFor[[]float32]()
	int64sType   = reflect.TypeFor[[]int64]()
	uint64sType  = reflect.TypeFor[[]uint64]()
)

// behind is the end of what is searched from a place backwards.
func (r *Realm) behind(v goja.Value, length int) int {
	at := math.Trunc(r.number(v))
	switch {
	case math.IsNaN(at):
		at = 0
	case at < 0:
		at += float64(length)
	}
	return int(math.Max(math.Min(at+1, float64(length)), 0))
}

// place is the index of a value in a part of a list; -1 if it is not there.
func place(list any, wanted goja.Value, from, to int, last bool) int {
	n, _ := bigIntOf(wanted)
	switch list := list.(type) {
	case []float64:
		return indexIn(list, 0, from, to, last)
	case []float32:
		return indexIn(list, 0, from, to, last)
	case []int64:
		if isIn64(n, true) {
			return indexIn(list, n.Int64(), from, to, last)
		}
	case []uint64:
		if isIn64(n, false) {
			return indexIn(list, n.Uint64(), from, to, last)
		}
	}
	return -1
}

func isIn64(n *big.Int, signed bool) bool {
	return n != nil && (signed && n.IsInt64() || !signed && n.IsUint64())
}

func indexIn[T comparable](list []T, wanted T, from, to int, last bool) int {
	from, to = min(from, len(list)), min(to, len(list))
	if from >= to {
		return -1
	}
	if !last {
		if at := slices.Index(list[from:to], wanted); at >= 0 {
			return from + at
		}
		return -1
	}
	for at := to - 1; at >= from; at-- {
		if list[at] == wanted {
			return at
		}
	}
	return -1
}
