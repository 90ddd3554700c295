package realm

import (
	"sync"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// inbox holds frames that wait for the realm. Putting never blocks: a realm
// that does not look must not hold up its host.
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
	default: // it has been told already
	}
}

func (b *inbox) take() []wire.Frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	frames := b.frames
	b.frames = nil
	return frames
}
