package realm

import (
	"errors"

	"github.com/dop251/goja"
)

// flawError is a part of a value that JSON cannot express, with its path.
type flawError struct{ text string }

// Error implements error.
func (e *flawError) Error() string { return e.text }

// valueJSON is toJSON for what leaves the realm. It names the part that is not JSON.
func (r *Realm) valueJSON(v goja.Value) ([]byte, error) {
	r.encoding, r.flawed, r.errorIn = true, false, false
	text, err := r.toJSON(v)
	r.encoding = false
	if thrown := (*goja.Exception)(nil); err != nil && !errors.As(err, &thrown) || err == nil && !r.flawed {
		return text, err // a stop, say: nothing may run after it
	}
	if flaw := r.flaw(v); flaw != nil {
		return nil, flaw
	}
	if err == nil {
		err = &flawError{"a part of the value is a promise or a function"}
	}
	return nil, err
}

// flaw is the first part of a value that is not JSON; nil if there is none.
func (r *Realm) flaw(v goja.Value) *flawError {
	find, err := r.function(flawProgram())
	if err != nil {
		return nil
	}
	found, err := find(goja.Undefined(), v)
	if err != nil {
		mustPropagate(err)
		return nil
	}
	if text, ok := found.Export().(string); ok {
		return &flawError{text}
	}
	return nil
}

// flawProgram finds it as JSON.stringify sees a value: what toJSON returns counts, and an
// object may be there twice, but not inside itself.
var flawProgram = program("flaw", `(function (value) {
  "use strict";
  const entered = new Map(), chain = [];
  const step = (holder, key) => Array.isArray(holder) ? "[" + key + "]" : /^[A-Za-z_$][\w$]*$/.test(key) ? "." + key : "[" + JSON.stringify(key) + "]";
  let found;
  try {
    JSON.stringify(value, function (key, inner) {
      const inside = entered.get(this);
      const path = inside ? inside.path + step(this, key) : "value";
      const is = (what) => { found = (path.length > 500 ? "…" + path.slice(-300) : path) + what; throw found; };
      switch (typeof inner) {
        case "bigint": is(" is a BigInt; make it text with String, or a number with Number");
        case "symbol": is(" is a symbol; return its text");
        case "function": is(" is a function, which JSON cannot express; call it, or leave it out");
      }
      if (inner instanceof Promise) is(" is a promise; await it");
      if (typeof inner !== "object" || inner === null) return inner;
      const depth = inside ? inside.depth + 1 : 0, at = entered.get(inner);
      if (at && at.depth < depth && chain[at.depth] === at) is(" leads back to " + (at.path.length > 500 ? "a value that it is in" : at.path) + "; leave it out, or name it by an id");
      if (depth === 10000) is(" is nested more than 10,000 deep");
      entered.set(inner, (chain[depth] = { depth, path: path.length > 1000 ? path.slice(-800) : path }));
      return inner;
    });
  } catch {}
  return found;
})`)
