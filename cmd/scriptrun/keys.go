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
// was not meant for it. repeatTime is more than what lies between the keys of one that
// is held.
const readTime, repeatTime = 500 * time.Millisecond, 150 * time.Millisecond

// repeats reports whether a key is the one before, still held.
func (t tap) repeats(before tap) bool { return t.key == before.key && t.at.Sub(before.at) < repeatTime }
