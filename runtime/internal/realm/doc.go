// Package realm is the JavaScript side of a run, and the only package that uses the engine.
// A realm is used once: it evaluates one program and calls its entry with ctx and the
// inputs.
//
// Only frames go in and out (see package wire): a [Realm] gets a start, emits calls, logs and
// progress, gets results and perhaps a stop, and ends with exactly one return or throw. No
// Go value of the host enters it, so that a realm behaves the same in another process.
//
//	r := realm.New(realm.Config{Emit: send, Programs: &realm.Programs{}})
//	go r.Run(start)      // emits, and returns after the last frame
//	r.Deliver(result)    // from any goroutine
//
// [Check] checks whether a source is a program, and lowers the few forms of module syntax
// that a single file needs.
//
// What a script cannot reach is absent rather than forbidden: there is no eval, no Function
// from strings, no file system, network, process or environment. All code of the script
// (toString, getters, toJSON, thenables) runs inside Run, where a stop interrupts it.
//
// A stop is only a request. The engine checks for it between instructions, and its native
// code can run for minutes. A host must be able to abandon the realm's goroutine or to kill
// its process.
package realm
