package worker

import (
	"cmp"
	"context"
	"fmt"
	"math"
	goruntime "runtime"
	"sync/atomic"
)

// Places bound how many cells there are at once, and how many runs wait for one.
type Places struct {
	slots   chan struct{}
	queue   int64
	waiting atomic.Int64
}

// NewPlaces has places for 64, and 256 that wait, where it is told 0.
func NewPlaces(most, queue int) *Places {
	return &Places{slots: make(chan struct{}, cmp.Or(most, 64)), queue: int64(cmp.Or(queue, 256))}
}

// CheckPlaces are those of checks, of which any number waits: no run that takes long
// keeps files from being loaded.
func CheckPlaces() *Places { return NewPlaces(max(4, 2*goruntime.GOMAXPROCS(0)), math.MaxInt) }

// QueueError is a request that too many were waiting before.
type QueueError struct{ Waiting int64 }

// Error implements error.
func (e *QueueError) Error() string {
	return fmt.Sprintf("%d runs wait for a worker; try again later, or allow more workers", e.Waiting)
}

// Take waits for a place until ctx ends.
func (p *Places) Take(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	defer p.waiting.Add(-1)
	if n := p.waiting.Add(1); n > p.queue {
		return &QueueError{Waiting: n - 1}
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Leave gives a place back.
func (p *Places) Leave() { <-p.slots }

// Most is how many places there are.
func (p *Places) Most() int { return cap(p.slots) }

func (p *Places) taken() int { return len(p.slots) }
