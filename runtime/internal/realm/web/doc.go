// Package web has the globals that the web platform and Node give to every script and the
// language does not: URL, TextDecoder, Buffer, structuredClone, crypto and the like.
//
// Globals come in families. A family is a program in JavaScript, or a function in Go, that
// makes all of its globals when the first of them is read; what a script never names costs
// nothing. A [World] keeps what was made for one realm:
//
//	world := web.New(web.Host{VM: vm, …})
//	if web.Has(name) { value, err = world.Global(name) }
//
// The programs see two things: native, the functions of their family that are written in Go,
// and part, which gives them another family. Native functions return null for what they
// refuse, and the program throws: an error is made where its class is known.
//
// All of this runs in the realm of a script that may be hostile to itself: it can replace
// prototypes before a family is made, and break it. It gains nothing, since what is here
// reaches nothing. What must hold is that sizes are checked before anything of that size is
// made ([Host.Room]), and that long work in Go ends when the run does ([Host.Stopped]).
package web
