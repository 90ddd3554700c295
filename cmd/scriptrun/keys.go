package main

import (
	"os"
	"strings"
	"time"
)

// keys reads single keys of a terminal.
type keys struct {
	in   *os.File
	last tap
}

// tap is a key that was typed.
type tap struct {
	key byte
	at  time.Time
}

// readTime is how long a question is shown before a key answers it: a key that comes
// sooner was not meant for it. A key that is held repeats first after up to 0.7 s, and
// then every 30 ms or so: a yes within repeatTime of the last one is the same press.
// Other keys grant nothing, and wait no longer than heldTime.
const readTime, repeatTime, heldTime = 500 * time.Millisecond, time.Second, 150 * time.Millisecond

// repeats reports whether a key is the one before, still held.
func (t tap) repeats(before tap) bool {
	within := heldTime
	if strings.ContainsRune("yYaA", rune(t.key)) {
		within = repeatTime
	}
	return t.key == before.key && t.at.Sub(before.at) < within
}
