package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// lossy writes to a reader that may not read, such as the program that started this
// one. It never waits: what comes while maxUnread bytes wait is dropped, and a note
// says how much.
type lossy struct {
	to   io.Writer
	wake chan struct{} // holds one if something waits
	done chan struct{} // closed once nothing more is written

	mu      sync.Mutex
	waiting []byte
	dropped int
	over    bool
}

// maxUnread is how many bytes wait at most.
const maxUnread = 256 << 10

// newLossy begins to write. The caller must call end.
func newLossy(to io.Writer) *lossy {
	l := &lossy{to: to, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.pass()
	return l
}

// Write implements [io.Writer]. It takes everything.
func (l *lossy) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
	case len(l.waiting)+len(p) > maxUnread:
		l.dropped += len(p)
	default:
		l.note()
		l.waiting = append(l.waiting, p...)
	}
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
	return len(p), nil
}

// note says how much was dropped. mu is held.
func (l *lossy) note() {
	if l.dropped > 0 {
		l.waiting = fmt.Appendf(l.waiting, "scriptrun: %d bytes were left out here, because nobody read\n", l.dropped)
		l.dropped = 0
	}
}

// pass writes what waits, until the end.
func (l *lossy) pass() {
	defer close(l.done)
	for range l.wake {
		for {
			l.mu.Lock()
			l.note()
			next := l.waiting
			l.waiting = nil
			over := l.over
			l.mu.Unlock()
			if len(next) > 0 {
				_, _ = l.to.Write(next) // nobody could read the error
				continue
			}
			if over {
				return
			}
			break
		}
	}
}

// end waits a moment for the rest to be written. A write that nobody reads is
// abandoned: the process ends.
func (l *lossy) end(wait time.Duration) {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	}
}
