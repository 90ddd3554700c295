package realm

import (
	"sync"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// inbox holds the frames that wait for the realm. put never blocks, since a realm that does
// not read must not block its host.
type inbox struct {
	mu     sync.Mutex
	frames []wire.Frame
	ready  chan struct{}
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

func (b *inbox) put(f wire.Frame) {
	b.mu.Lock()
	b.frames = append(b.frames, f)
	b.mu.Unlock()
	b.wake()
}

func (b *inbox) wake() {
	select {
	case b.ready <- struct{}{}:
	default: // it has not woken up yet
	}
}

func (b *inbox) take() []wire.Frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	frames := b.frames
	b.frames = nil
	return frames
}
