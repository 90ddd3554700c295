package shell

import (
	"context"
	"errors"
	"fmt"
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

	closing sync.WaitGroup // boxes that nobody is in any more
}

// readyBox is a sandbox, and who is in it.
type readyBox struct {
	*sandbox.Box
	reach *reach // nil where the network is not a list of hosts
	key   string
	made  chan struct{} // closed when Box, or err, is there
	err   error
	users int
	last  int64 // when it was used, in uses
}

// take is the sandbox for key, made if there is none that lives and hides
// what there is to hide. Whoever takes
// it gives it back. Making one takes milliseconds, or as long as a tool takes to say
// its hosts; others go on meanwhile. Where whoever makes it has no more time,
// another who waits for it does it anew.
func (b *boxes) take(ctx context.Context, key string, build func() (*sandbox.Box, *reach, error)) (*readyBox, error) {
	for {
		r, mine, err := b.takeOnce(ctx, key, build)
		var impatient *impatientError
		if mine || ctx.Err() != nil || !errors.As(err, &impatient) {
			return r, err
		}
	}
}

// takeOnce is take, and says whether this caller has made it.
func (b *boxes) takeOnce(ctx context.Context, key string, build func() (*sandbox.Box, *reach, error)) (box *readyBox, mine bool, err error) {
	b.mu.Lock()
	if b.ready == nil {
		b.ready = map[string]*readyBox{}
	}
	r, ok := b.ready[key]
	if ok && (r.dead() || !r.current()) {
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
	default:
		select {
		case <-r.made:
		case <-ctx.Done():
			b.give(r)
			return nil, false, fmt.Errorf("its sandbox was not made ready: %w", context.Cause(ctx))
		}
	}
	if r.err != nil {
		b.give(r)
		return nil, !ok, r.err
	}
	return r, !ok, nil
}

// Close ends the box, and the way out of it.
func (r *readyBox) Close() {
	if r.reach != nil {
		r.reach.proxy.Close()
	}
	r.Box.Close()
}

// dead reports whether it was made, and starts no command any more.
func (r *readyBox) dead() bool {
	select {
	case <-r.made:
		return r.err != nil || !r.Alive()
	default:
		return false
	}
}

// current reports whether it hides what there is to hide; so does one that is
// being made.
func (r *readyBox) current() bool {
	select {
	case <-r.made:
		return r.err == nil && r.Current()
	default:
		return true
	}
}

// drop forgets a sandbox. The last who is in it closes it.
func (b *boxes) drop(r *readyBox) {
	if b.ready[r.key] == r {
		delete(b.ready, r.key)
	}
	if r.users == 0 && r.err == nil {
		b.closing.Go(r.Close) // it may take a while
	}
}

// give gives a sandbox back. One that nobody is in may be closed by it.
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

// close closes them all; nobody may be in one.
func (b *boxes) close() {
	for _, r := range b.ready {
		if r.err == nil {
			b.closing.Go(r.Close)
		}
	}
	b.closing.Wait()
	b.ready = nil
}
