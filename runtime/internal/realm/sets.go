package realm

import (
	"strings"

	"github.com/dop251/goja"
)

// setMethods take what is like a set. The engine takes an infinite size for a small one.
var setMethods = []string{"union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"}

// likeProgram is a set-like object with the greatest size that a set can have, if it is infinite.
var likeProgram = program("like", `(({ apply }) => (other) => ({
	get size() {
		const size = +other.size;
		return size === Infinity ? 9007199254740991 : size === -Infinity ? -1 : size;
	},
	get has() {
		const has = other.has;
		return typeof has === "function" ? (value) => apply(has, other, [value]) : has;
	},
	get keys() {
		const keys = other.keys;
		return typeof keys === "function" ? () => apply(keys, other, []) : keys;
	},
}))(Reflect)`)

// endlessIn returns these methods, if a source makes what is like a set.
func endlessIn(source string) (found []mending) {
	if !strings.Contains(source, "size") || !strings.Contains(source, "keys") {
		return nil
	}
	for _, name := range setMethods {
		if strings.Contains(source, name) {
			found = append(found, mending{sizedFunction{"Set", name, true}, withinSize})
		}
	}
	return found
}

// withinSize is one of them.
func withinSize(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	limited, _ := r.function(likeProgram()) // before the script can change what it uses
	return func(call goja.FunctionCall) goja.Value {
		if o, ok := call.Argument(0).(*goja.Object); ok && o.ClassName() != "Set" && o.ClassName() != "Map" {
			return must(original(call.This, must(limited(goja.Undefined(), o))))
		}
		return must(original(call.This, call.Arguments...))
	}
}
