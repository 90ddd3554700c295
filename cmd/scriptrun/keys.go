package main

import (
	"os"
	"time"
)

// keys reads single keys of a terminal, for who asks a person.
type keys struct {
	in   *os.File
	last tap
}

// tap is a key that was typed.
type tap struct {
	key byte
	at  time.Time
}

// readTime is how long a question stands before a key answers it: what is typed sooner
// was not meant for it. A key that is held comes again first after up to 0.7 s, and then
// every 30 ms or so: within repeatTime of the last one it is that one. Who leafs with v
// answers nothing, and waits no longer than pageTime.
const readTime, repeatTime, pageTime = 500 * time.Millisecond, time.Second, 150 * time.Millisecond

// repeats reports whether a key is the one before, still held.
func (t tap) repeats(before tap) bool {
	within := repeatTime
	if t.key == 'v' || t.key == 'V' {
		within = pageTime
	}
	return t.key == before.key && t.at.Sub(before.at) < within
}
