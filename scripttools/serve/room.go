package serve

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// smallAnswer is up to which size answers do not wait for larger ones: they have
// as much room of their own.
const smallAnswer = 256 << 10

// room is a number of bytes that are given to who came first.
type room struct {
	most         int64
	small, large *semaphore.Weighted
}

func newRoom(most int64) *room {
	return &room{most, semaphore.NewWeighted(most), semaphore.NewWeighted(most)}
}

// part is where so many bytes are found, and how many there can be: what is larger
// than the room has it alone.
func (r *room) part(size int64) (in *semaphore.Weighted, n int64) {
	if size <= smallAnswer {
		return r.small, min(size, r.most)
	}
	return r.large, min(size, r.most)
}

// rooms are those in which something must have its place at the same time, those
// of a session before those of all.
type rooms []*room

// taken is what something holds in rooms, until left.
type taken struct {
	in   []*semaphore.Weighted
	held []int64
}

// take waits for its place in each until ctx ends.
func (r rooms) take(ctx context.Context, size int64) (*taken, error) {
	t := &taken{}
	for _, one := range r {
		in, n := one.part(size)
		if err := in.Acquire(ctx, n); err != nil {
			t.shrink(0)
			return nil, context.Cause(ctx)
		}
		t.in, t.held = append(t.in, in), append(t.held, n)
	}
	return t, nil
}

// try is take where it need not wait; nil where it must.
func (r rooms) try(size int64) *taken {
	t := &taken{}
	for _, one := range r {
		in, n := one.part(size)
		if !in.TryAcquire(n) {
			t.shrink(0)
			return nil
		}
		t.in, t.held = append(t.in, in), append(t.held, n)
	}
	return t
}

// shrink gives back all but so many bytes; none are left of 0. It may be called
// more than once, and not at the same time.
func (t *taken) shrink(size int64) {
	for i, in := range t.in {
		if over := t.held[i] - size; over > 0 {
			in.Release(over)
			t.held[i] = size
		}
	}
}
