package sandbox

import (
	"sync"
	"syscall"
	"time"
)

// How long an ending goes on after SIGKILL, for what the kernel does not let
// die, and how often it looks.
const (
	killTime  = 2 * time.Second
	firstLook = 2 * time.Millisecond
	lastLook  = 50 * time.Millisecond
)

// endTree ends everything that is left of a tree: SIGTERM, grace, SIGKILL. It
// returns when nothing is left, at the latest some time after the SIGKILL.
func endTree(t tree, grace time.Duration) {
	exited := t.exited()
	if gone(exited) && t.childless() {
		return
	}
	if grace > 0 {
		if t.signal(syscall.SIGTERM) == 0 && gone(exited) {
			return
		}
		if settle(grace, exited, func() int { return t.signal(0) }) {
			return
		}
	}
	// A tree that still forks is chased until it stands still.
	settle(killTime, exited, func() int { return t.signal(syscall.SIGKILL) })
}

// settle asks how many are left until there are none, at most for d.
func settle(d time.Duration, exited <-chan struct{}, left func() int) bool {
	deadline := time.Now().Add(d)
	for look := firstLook; ; look = min(2*look, lastLook) {
		if left() == 0 && gone(exited) {
			return true
		}
		wait := min(look, time.Until(deadline))
		if wait <= 0 {
			return false
		}
		timer := time.NewTimer(wait)
		if gone(exited) {
			<-timer.C
			continue
		}
		select {
		case <-timer.C:
		case <-exited:
			timer.Stop()
		}
	}
}

func gone(exited <-chan struct{}) bool {
	select {
	case <-exited:
		return true
	default:
		return false
	}
}

// endings keeps signals from a command that is forgotten.
type endings struct {
	mu   sync.Mutex
	done bool
}

func (e *endings) unlessOver(do func() int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return 0
	}
	return do()
}

func (e *endings) over(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done = true
	do()
}
