package realm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dop251/goja"
)

// unawaited are the calls whose promises nobody has looked at. The language looks at a
// promise through its property constructor, in await, then and Promise.all.
type unawaited struct {
	calls    map[*goja.Object]int
	late     map[int]bool // they were under way when the value was there, or came after it
	returned bool         // the value is there
	promises goja.Value   // the constructor Promise
	look     goja.Value   // the getter of constructor, once there was a call
}

// watchPromises makes that writing a promise as JSON is found out, by its toJSON.
func (r *Realm) watchPromises() error {
	promises := r.vm.Get("Promise").(*goja.Object)
	r.unawaited = unawaited{promises: promises, calls: map[*goja.Object]int{}, late: map[int]bool{}}
	prototype := promises.Get("prototype").(*goja.Object)
	return prototype.DefineDataProperty("toJSON", r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		r.promised = r.promised || r.encoding
		return f.This
	}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// watch notes when somebody looks at the promise of a call.
func (r *Realm) watch(promise *goja.Object, seq int) {
	u := &r.unawaited
	if u.returned {
		u.late[seq] = true
		return
	}
	if u.look == nil {
		u.look = r.vm.ToValue(u.looked)
	}
	u.calls[promise] = seq
	_ = promise.DefineAccessorProperty("constructor", u.look, nil, goja.FLAG_FALSE, goja.FLAG_FALSE) // a new promise takes it
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
	}
}

// seqs are the calls that nobody awaited, in order.
func (u *unawaited) seqs() []int {
	for _, seq := range u.calls {
		u.late[seq] = true
	}
	return slices.Sorted(maps.Keys(u.late))
}

// finish waits for what is under way once the value is there: calls and timeouts. Intervals
// and operations on what was started end with the run.
func (r *Realm) finish() error {
	r.unawaited.returned = true
	for seq, call := range r.calls {
		if seq > 0 && call.shape != shapeStart {
			r.unawaited.late[seq] = true
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

// promiseError is a promise inside of what must be JSON.
type promiseError struct{ path string }

// Error implements error.
func (e *promiseError) Error() string { return e.path + " is a promise; await it" }

// valueJSON is toJSON for what leaves the realm, where a promise would be an empty object.
func (r *Realm) valueJSON(v goja.Value) ([]byte, error) {
	r.encoding, r.promised = true, false
	defer func() { r.encoding = false }()
	text, err := r.toJSON(v)
	if err != nil || !r.promised {
		return text, err
	}
	find, err := r.function(promisePathProgram())
	if err != nil {
		return nil, err
	}
	path, err := find(goja.Undefined(), v)
	if err != nil {
		return nil, err
	}
	return nil, &promiseError{fmt.Sprint(path.Export())}
}

// promisePathProgram finds the first promise in a value as JSON.stringify sees it.
var promisePathProgram = program("promisepath", `(function (value) {
  "use strict";
  const paths = new Map();
  let found;
  JSON.stringify(value, function (key, inner) {
    const path = paths.has(this) ? paths.get(this) + (Array.isArray(this) ? "[" + key + "]" : "." + key) : "value";
    if (inner instanceof Promise) found = found || path;
    else if (typeof inner === "object" && inner !== null && !paths.has(inner)) paths.set(inner, path);
    return inner;
  });
  return found || "a part of it";
})`)
