package shell

import (
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

// end ends everything that is left of the tree: SIGTERM, grace, SIGKILL. It
// returns when nothing is left, at the latest some time after the SIGKILL.
// exited is closed when the first process has exited.
func (t *tree) end(grace time.Duration, exited <-chan struct{}) {
	if gone(exited) && t.childless() {
		return
	}
	if grace > 0 {
		if t.signal(syscall.SIGTERM) == 0 && gone(exited) {
			return
		}
		if t.settle(grace, exited, func() int { return t.signal(0) }) {
			return
		}
	}
	// A tree that still forks is chased until it stands still.
	t.settle(killTime, exited, func() int { return t.signal(syscall.SIGKILL) })
}

// settle asks how many are left until there are none, at most for d.
func (t *tree) settle(d time.Duration, exited <-chan struct{}, left func() int) bool {
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
