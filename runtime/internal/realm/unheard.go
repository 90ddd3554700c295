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

// failures are what tells of a failure in the result of a tool. Of commands it is more than the exitCode: for
// many that is an answer, and their output is looked at instead.
func failures(tool string) []string {
	switch tool {
	case "bash":
		return []string{"exitCode", "output", "text", "data"}
	case "git":
		return []string{"exitCode", "output", "text"}
	}
	return []string{"exitCode"}
}

// watchFailure notes when the script reads what tells of the failure in a result of a call that failed.
func (r *Realm) watchFailure(result *goja.Object, seq int, tool string) {
	u := &r.unheard
	if u.calls == nil {
		u.calls, u.tools = map[int]string{}, map[string]bool{}
	}
	u.calls[seq] = tool
	for _, name := range failures(tool) {
		was := result.Get(name)
		if was == nil {
			continue
		}
		plain := func(value goja.Value) {
			u.tools[tool] = true
			_ = result.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE) // a frozen one stays as it is
		}
		get := r.vm.ToValue(func(goja.FunctionCall) goja.Value {
			plain(was)
			return was
		})
		set := r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			plain(f.Argument(0))
			return goja.Undefined()
		})
		_ = result.DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, goja.FLAG_TRUE) // a new object takes it
	}
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
