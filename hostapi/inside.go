package hostapi

import (
	"cmp"
	"slices"
	"sync"
)

// Unsettled is a call whose tool had not returned when the run was over.
type Unsettled struct {
	// Seq is the call's number; 0 for what is done before a run's first call,
	// such as checking the patterns of its rules.
	Seq  int    `json:"call"`
	Tool string `json:"tool"`
}

// inside is what is under way in tools, and can be closed to newcomers. The zero
// value is open.
type inside struct {
	mu     sync.Mutex
	there  map[*Unsettled]struct{}
	closed bool
	idle   chan struct{} // closed once nobody is there and nobody will be
}

// enter returns what leave wants; ok is false once it is closed.
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
	g.told()
}

// told tells who waits, with g.mu held.
func (g *inside) told() {
	if g.closed && len(g.there) == 0 && g.idle != nil {
		select {
		case <-g.idle:
		default:
			close(g.idle)
		}
	}
}

// close refuses newcomers. The channel is closed when nobody is there any more.
func (g *inside) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	g.told()
	return g.idle
}

// left are the calls that are there, in order, each once.
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
