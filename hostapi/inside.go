package hostapi

import (
	"cmp"
	"slices"
	"sync"
)

// Unsettled is a call whose tool had not returned when the run was over.
type Unsettled struct {
	// Seq is the call's number; 0 for work before the first call, such as checking the
	// patterns of rules.
	Seq  int    `json:"call"`
	Tool string `json:"tool"`
}

// inside counts the calls that are inside tools. Once it is closed, no more may
// enter. The zero value is open.
type inside struct {
	mu     sync.Mutex
	there  map[*Unsettled]struct{}
	closed bool
	idle   chan struct{} // closed once inside is closed and empty
}

// enter returns the entry for leave; ok is false once inside is closed.
func (g *inside) enter(call Call) (entry *Unsettled, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, false
	}
	entry = &Unsettled{Seq: call.Seq, Tool: call.Tool}
	if g.there == nil {
		g.there = map[*Unsettled]struct{}{}
	}
	g.there[entry] = struct{}{}
	return entry, true
}

func (g *inside) leave(entry *Unsettled) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.there, entry)
	g.check()
}

// check closes idle if it is time, with g.mu held.
func (g *inside) check() {
	if g.closed && len(g.there) == 0 && g.idle != nil {
		select {
		case <-g.idle:
		default:
			close(g.idle)
		}
	}
}

// close lets no more calls enter. The channel is closed once all have left.
func (g *inside) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	g.check()
	return g.idle
}

// left are the calls that are still inside, sorted, each once.
func (g *inside) left() (calls []Unsettled) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for entry := range g.there {
		calls = append(calls, *entry)
	}
	slices.SortFunc(calls, func(a, b Unsettled) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Tool, b.Tool))
	})
	return slices.Compact(calls)
}
