package shell

import (
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// keptBoxes is how many sandboxes are kept that no command is in. A host has
// one or two; one that runs commands in ever new workspaces must not keep all.
const keptBoxes = 8

// boxes are the sandboxes that were made ready.
type boxes struct {
	mu    sync.Mutex
	ready map[string]*readyBox
	uses  int64
}

// readyBox is a sandbox, and who is in it.
type readyBox struct {
	*sandbox.Box
	key   string
	users int
	last  int64 // when it was used, in uses
}

// take is the sandbox for key, made if there is none. Whoever takes it gives it
// back.
func (b *boxes) take(key string, build func() (*sandbox.Box, error)) (*readyBox, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.ready[key]
	if !ok {
		made, err := build()
		if err != nil {
			return nil, err
		}
		if b.ready == nil {
			b.ready = map[string]*readyBox{}
		}
		r = &readyBox{Box: made, key: key}
		b.ready[key] = r
	}
	b.uses++
	r.users, r.last = r.users+1, b.uses
	return r, nil
}

// give gives a sandbox back. One that nobody is in may be closed by it.
func (b *boxes) give(r *readyBox) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.users--
	if len(b.ready) <= keptBoxes {
		return
	}
	var oldest *readyBox
	for _, r := range b.ready {
		if r.users == 0 && (oldest == nil || r.last < oldest.last) {
			oldest = r
		}
	}
	if oldest != nil {
		delete(b.ready, oldest.key)
		oldest.Close()
	}
}

// close closes them all; nobody may be in one.
func (b *boxes) close() {
	for _, r := range b.ready {
		r.Close()
	}
	b.ready = nil
}
