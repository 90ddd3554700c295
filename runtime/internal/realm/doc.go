// Package realm is the JavaScript side of a run, and the only package that
// knows the engine. A realm is one fresh world: it is built, evaluates one
// program, calls its entry with ctx and the inputs, and is thrown away.
//
// What goes in and out are frames (see package wire): a [Realm] is given a
// start, emits calls, logs and progress, takes results and a stop, and ends
// with exactly one return or throw. No Go value of the host ever enters it, so
// that a realm in another process behaves as one in this process.
//
//	r := realm.New(realm.Config{Emit: send, Programs: &realm.Programs{}})
//	go r.Run(start)      // emits, and returns after the last frame
//	r.Deliver(result)    // from any goroutine
//
// [Check] finds out whether a source is a program, and lowers the few forms
// of module syntax that a single file needs.
//
// What a script cannot reach is absent rather than forbidden: there is no eval,
// no Function from strings, no file system, network, process or environment.
// Whatever the script decides about (toString, getters, toJSON, thenables)
// runs inside Run, where a stop interrupts it.
//
// The one trap: a stop is a request. The engine looks for it between
// instructions, and native code of the engine may run for minutes without
// looking. Whoever needs an end must be able to abandon the realm's goroutine,
// or to kill its process.
package realm
