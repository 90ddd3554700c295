package shell

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// keptBoxes is how many unused sandboxes are kept. A host needs one or two, but one
// that runs commands in ever new workspaces must not keep them all.
const keptBoxes = 8

// boxes are the sandboxes that are ready.
type boxes struct {
	mu    sync.Mutex
	ready map[string]*readyBox
	uses  int64

	closing sync.WaitGroup // boxes that are being closed
}

// readyBox is a sandbox and the number of its users.
type readyBox struct {
	*sandbox.Box
	reach *reach // nil without a proxy
	key   string
	made  chan struct{} // closed when Box or err is set
	err   error
	users int
	last  int64 // its last use, a value of boxes.uses
}

// take is the sandbox for key. It is built if there is none, or if it has died or no
// longer hides all that must be hidden. The caller gives it back. Building takes
// milliseconds, or as long as a tool takes to name its hosts; callers with other keys
// need not wait. If the caller that builds it runs out of time, another one that waits
// builds it again.
func (b *boxes) take(ctx context.Context, key string, build func() (*sandbox.Box, *reach, error)) (*readyBox, error) {
	for {
		r, mine, err := b.takeOnce(ctx, key, build)
		var impatient *impatientError
		if mine || ctx.Err() != nil || !errors.As(err, &impatient) {
			return r, err
		}
	}
}

// takeOnce is take without the second try. mine says that this caller built it.
func (b *boxes) takeOnce(ctx context.Context, key string, build func() (*sandbox.Box, *reach, error)) (box *readyBox, mine bool, err error) {
	b.mu.Lock()
	if b.ready == nil {
		b.ready = map[string]*readyBox{}
	}
	r, ok := b.ready[key]
	if ok && (r.dead() || closed(r.made) && !r.Current()) {
		b.drop(r)
		ok = false
	}
	if !ok {
		r = &readyBox{key: key, made: make(chan struct{})}
		b.ready[key] = r
	}
	b.uses++
	r.users, r.last = r.users+1, b.uses
	b.mu.Unlock()
	if !ok {
		r.Box, r.reach, r.err = build()
		close(r.made)
	}
	select {
	case <-r.made:
	case <-ctx.Done():
		if !closed(r.made) {
			b.give(r)
			return nil, false, fmt.Errorf("its sandbox is not ready: %w", context.Cause(ctx))
		}
	}
	if r.err != nil {
		b.give(r)
		return nil, !ok, r.err
	}
	return r, !ok, nil
}

// Close ends the box and its proxy.
func (r *readyBox) Close() {
	if r.reach != nil {
		r.reach.proxy.Close()
	}
	r.Box.Close()
}

// dead reports whether it could not be built, or starts no commands any more.
func (r *readyBox) dead() bool { return closed(r.made) && (r.err != nil || !r.Alive()) }

// drop forgets a sandbox. Its last user closes it.
func (b *boxes) drop(r *readyBox) {
	if b.ready[r.key] == r {
		delete(b.ready, r.key)
	}
	if r.users == 0 && r.err == nil {
		b.closing.Go(r.Close) // it may take a while
	}
}

// give gives a sandbox back. It may close one that nobody uses.
func (b *boxes) give(r *readyBox) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.users--
	switch {
	case b.ready[r.key] != r, r.dead():
		b.drop(r)
		return
	case len(b.ready) <= keptBoxes:
		return
	}
	var oldest *readyBox
	for _, r := range b.ready {
		if r.users == 0 && (oldest == nil || r.last < oldest.last) {
			oldest = r
		}
	}
	if oldest != nil {
		b.drop(oldest)
	}
}

// close closes them all; nobody may use one.
func (b *boxes) close() {
	for _, r := range b.ready {
		if r.err == nil {
			b.closing.Go(r.Close)
		}
	}
	b.closing.Wait()
	b.ready = nil
}
