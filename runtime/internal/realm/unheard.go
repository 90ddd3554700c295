package realm

import (
	"maps"
	"slices"

	"github.com/dop251/goja"
)

// unheard are the calls that failed, whose results the script was given, and of which it has not
// read the exitCode.
type unheard map[int]bool

// watchFailure notes when the script reads the exitCode of a result that says that its call failed.
// Commands are left out: for many an exit code is an answer, and their output is looked at instead.
func (r *Realm) watchFailure(result *goja.Object, seq int, tool string) {
	if tool == "bash" {
		return
	}
	if r.unheard == nil {
		r.unheard = unheard{}
	}
	r.unheard[seq] = true
	code := result.Get("exitCode")
	plain := func(value goja.Value) {
		delete(r.unheard, seq)
		_ = result.DefineDataProperty("exitCode", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE) // a frozen one stays as it is
	}
	get := r.vm.ToValue(func(goja.FunctionCall) goja.Value {
		plain(code)
		return code
	})
	set := r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		plain(f.Argument(0))
		return goja.Undefined()
	})
	_ = result.DefineAccessorProperty("exitCode", get, set, goja.FLAG_TRUE, goja.FLAG_TRUE) // a new object takes it
}

// seqs are the calls, in order.
func (u unheard) seqs() []int { return slices.Sorted(maps.Keys(u)) }
