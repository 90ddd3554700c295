package worker

import (
	"cmp"
	"context"
	"fmt"
	"math"
	goruntime "runtime"
	"sync/atomic"
)

// Places limit how many cells there are, and how many runs wait for one.
type Places struct {
	slots   chan struct{}
	queue   int64
	waiting atomic.Int64
}

// NewPlaces makes places for most cells, 0 means 64, and a queue of some runs, 0 means 256.
func NewPlaces(most, queue int) *Places {
	return &Places{slots: make(chan struct{}, cmp.Or(most, 64)), queue: int64(cmp.Or(queue, 256))}
}

// CheckPlaces makes the places of checks. Any number of checks can wait.
func CheckPlaces() *Places { return NewPlaces(max(4, 2*goruntime.GOMAXPROCS(0)), math.MaxInt) }

// QueueError refuses a run because too many others wait.
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
