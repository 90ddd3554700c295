package realm

import (
	"maps"
	"slices"

	"github.com/dop251/goja"
)

// unheard are the calls that failed, whose results the script was given.
type unheard struct {
	calls map[int]string  // with their tools
	tools map[string]bool // those of which it has read one: a look that ends at the first is one at all
}

// watchFailure notes when the script reads the exitCode of a result that says that its call failed.
// Commands are left out: for many an exit code is an answer, and their output is looked at instead.
func (r *Realm) watchFailure(result *goja.Object, seq int, tool string) {
	if tool == "bash" || tool == "git" {
		return
	}
	u := &r.unheard
	if u.calls == nil {
		u.calls, u.tools = map[int]string{}, map[string]bool{}
	}
	u.calls[seq] = tool
	code := result.Get("exitCode")
	plain := func(value goja.Value) {
		u.tools[tool] = true
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
func (u *unheard) seqs() (seqs []int) {
	for _, seq := range slices.Sorted(maps.Keys(u.calls)) {
		if !u.tools[u.calls[seq]] {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}
