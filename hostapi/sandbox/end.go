package sandbox

import (
	"sync"
	"syscall"
	"time"
)

// killTime is how long an ending goes on after SIGKILL, for processes that the kernel
// does not let die; firstLook and lastLook are the pauses between its checks.
const (
	killTime  = 2 * time.Second
	firstLook = 2 * time.Millisecond
	lastLook  = 50 * time.Millisecond
)

// endTree ends all that is left of a tree: SIGTERM, grace, SIGKILL. It returns when
// nothing is left, at the latest killTime after the SIGKILL.
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
	// A tree that still forks is killed again until nothing is left.
	settle(killTime, exited, func() int { return t.signal(syscall.SIGKILL) })
}

// settle calls left until nothing is left and the first process has exited, for at most
// d.
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

// endings blocks signals to a command that is forgotten.
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
