package runtime

import "sync"

// The bounds of what a run holds: calls that are not decided yet, and operations on handles
// that have not ended. While there are more, the run reads nothing from its script.
const (
	maxUndecided      = 64
	maxUndecidedBytes = 16 << 20
)

// backlog counts them.
type backlog struct {
	mu    sync.Mutex
	calls int
	bytes int
	freed chan struct{}
}

func newBacklog() backlog { return backlog{freed: make(chan struct{}, 1)} }

func (b *backlog) enter(bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	b.bytes += bytes
}

func (b *backlog) leave(bytes int) {
	b.mu.Lock()
	b.calls--
	b.bytes -= bytes
	b.mu.Unlock()
	select {
	case b.freed <- struct{}{}:
	default: // somebody has not woken up yet
	}
}

func (b *backlog) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls >= maxUndecided || b.bytes >= maxUndecidedBytes
}

// room waits until the backlog is not full. It reports false if one of the two channels is
// closed first.
func (b *backlog) room(ended, over <-chan struct{}) bool {
	for b.full() {
		select {
		case <-b.freed:
		case <-ended:
			return false
		case <-over:
			return false
		}
	}
	return true
}
