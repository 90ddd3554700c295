// Package lang is what the language has and the engine does not: iterator helpers, groupBy,
// Promise.try, WeakRef and others, as JavaScript of our own over few natives in Go.
//
//	parts := lang.In(source)                 // once a program
//	err := lang.Install(vm, parts, stopped)  // in each realm, before its script runs
//
// To make all of it would double the time of a short run. A source that does not have the
// name of a thing cannot use it, but by a name that it puts together, so a realm gets what
// its program names. A program that lists properties gets everything.
package lang
