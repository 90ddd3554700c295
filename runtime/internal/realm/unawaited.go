package realm

import (
	"maps"
	"slices"

	"github.com/dop251/goja"
)

// unawaited are the calls whose promises nobody has looked at. The language looks at a
// promise through its property constructor, in await, then and Promise.all.
type unawaited struct {
	combined
	calls    map[*goja.Object]int
	late     map[int]bool // calls that were under way when the run returned, or were made later
	returned bool         // the run has returned its value
	promises goja.Value   // the constructor Promise
	getter   goja.Value   // of constructor, once there was a call
}

// watchPromises gives promises and functions a toJSON, which notes that one of them is written
// as JSON. Without it they would become empty objects, or vanish.
func (r *Realm) watchPromises() error {
	promises := r.vm.Get("Promise").(*goja.Object)
	r.unawaited = unawaited{
		promises: promises, calls: map[*goja.Object]int{}, late: map[int]bool{},
		combined: combined{pending: map[*goja.Object]int{}, groups: map[*goja.Object]*group{}, left: map[int]bool{}},
	}
	if err := r.watchGroups(promises); err != nil {
		return err
	}
	toJSON := r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		r.flawed = r.flawed || r.encoding
		return f.This
	})
	for _, of := range []*goja.Object{promises, r.vm.Get("Function").(*goja.Object)} {
		prototype := of.Get("prototype").(*goja.Object)
		if err := prototype.DefineDataProperty("toJSON", toJSON, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	noteError := r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		r.errorIn = r.errorIn || r.encoding
		return f.This
	})
	prototype := r.vm.Get("Error").(*goja.Object).Get("prototype").(*goja.Object) // scripts may set a toJSON of their own
	return prototype.DefineDataProperty("toJSON", noteError, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// watch notes when somebody looks at the promise of a call.
func (r *Realm) watch(promise *goja.Object, seq int) {
	u := &r.unawaited
	if u.returned {
		u.late[seq] = !u.open
		return
	}
	u.calls[promise], u.pending[promise] = seq, seq
	u.define(r.vm, promise)
}

// define gives a new promise the property that tells who looks at it.
func (u *unawaited) define(vm *goja.Runtime, promise *goja.Object) {
	if u.getter == nil {
		u.getter = vm.ToValue(u.looked)
	}
	_ = promise.DefineAccessorProperty("constructor", u.getter, nil, goja.FLAG_FALSE, goja.FLAG_FALSE) // a new promise takes it
}

// looked is the getter of constructor.
func (u *unawaited) looked(f goja.FunctionCall) goja.Value {
	if object, ok := f.This.(*goja.Object); ok {
		u.touch(object)
	}
	return u.promises
}

func (u *unawaited) touch(promise *goja.Object) {
	if !u.returned {
		delete(u.calls, promise)
		u.look(promise)
	}
}

// seqs are the calls that nobody awaited, in order.
func (u *unawaited) seqs() []int {
	seqs := slices.Collect(maps.Values(u.calls))
	for seq, late := range u.late {
		if late {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}

// finish waits for what is under way once the value is there: calls and timeouts. Intervals
// and operations on what was started end with the run.
func (r *Realm) finish() error {
	u := &r.unawaited
	u.returned = true
	u.settle(r.calls)
	for seq, call := range r.calls {
		if seq > 0 && call.shape != shapeStart {
			u.late[seq] = !u.open && !u.left[seq]
		}
	}
	for r.timers.awaited() || r.waitsForCalls() {
		if err := r.turn(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Realm) waitsForCalls() bool {
	for seq := range r.calls {
		if seq > 0 {
			return true
		}
	}
	return false
}
