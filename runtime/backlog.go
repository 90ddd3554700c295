package runtime

import "sync"

// What a run holds at most of calls that wait to be decided, and of operations
// on handles that wait to be made. A script that asks for more is not listened
// to until one of them is.
const (
	maxUndecided      = 64
	maxUndecidedBytes = 16 << 20
)

// backlog counts what waits.
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
	default: // it has been told already
	}
}

func (b *backlog) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls >= maxUndecided || b.bytes >= maxUndecidedBytes
}

// room waits until there is some. It reports false when one of two others is
// closed before.
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
