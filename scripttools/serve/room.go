package serve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// smallAnswer is the size up to which answers do not wait for larger ones: they
	// have as much room of their own.
	smallAnswer = 256 << 10
	// overstay is how long something that can be cut short may be held needlessly while
	// others wait for room.
	overstay = 10 * time.Second
)

// claimant is who takes room: a client, as far as it is known, and one of its sessions.
type claimant struct {
	client  string
	session any // its number, or its user's name for it
}

// room is a number of bytes that waiters share fairly. Next comes the waiter whose
// client holds least, then the one whose session does, then the one that came first. So
// nobody waits long because another takes much, and a large claim waits until that much
// is free. It is made by [newRoom].
type room struct{ small, large *hall }

// newRoom makes room for most bytes in all, and for mostOfSession of each session. A
// larger claim takes all that its session may have.
func newRoom(most, mostOfSession int64) *room {
	return &room{newHall(most, mostOfSession), newHall(most, mostOfSession)}
}

func (r *room) part(size int64) *hall {
	if size <= smallAnswer {
		return r.small
	}
	return r.large
}

// take waits for room until ctx ends. If the room is held for long while others wait,
// cut is called once, unless it is nil; the room must soon be given back.
func (r *room) take(ctx context.Context, of claimant, size int64, cut *cut) (*taken, error) {
	return r.part(size).take(ctx, of, size, cut)
}

// try is take without waiting: nil if it would have to wait.
func (r *room) try(of claimant, size int64, cut *cut) *taken {
	return r.part(size).try(of, size, cut)
}

// hall is the part of a room for small claims, or for large ones.
type hall struct {
	most, mostOfSession int64
	// spare makes each client leave something: it holds at most three times what is
	// free, except for its first claim.
	spare bool

	mu       sync.Mutex
	held     int64
	ending   int64              // the part of held that was cut short and will be given back
	clients  map[string]int64   // what each holds
	sessions map[claimant]int64 // likewise
	holding  []*taken           // those that can be cut
	waiting  []*taken           // the first came first
	clock    *time.Timer        // runs serve when the next one has overstayed
}

func newHall(most, mostOfSession int64) *hall {
	return &hall{most: most, mostOfSession: min(most, mostOfSession), clients: map[string]int64{}, sessions: map[claimant]int64{}}
}

func (h *hall) try(of claimant, size int64, cut *cut) *taken {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.claim(of, size, cut)
	switch {
	case len(h.waiting) > 0:
		return nil
	case h.fits(t):
		h.grant(t)
		return t
	case h.allowed(t):
		h.hasten(t) // for the next attempt
	}
	return nil
}

// isFull reports whether a session must give something back before it may take size.
func (h *hall) isFull(of claimant, size int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.allowed(h.claim(of, size, nil))
}

// taken is a claim on a hall, until it is given back.
type taken struct {
	hall    *hall
	of      claimant
	size    int64
	asked   time.Time // when it began to wait
	since   time.Time // when it was granted
	cut     *cut
	ending  bool
	granted chan struct{} // closed
}

// cut says how a holder can be cut short.
type cut struct {
	do func()
	// held returns since when the room has been held needlessly, from when it was
	// granted; a nil held means since then.
	held func(granted time.Time) time.Time
}

func (t *taken) heldSince() time.Time {
	if t.cut.held == nil {
		return t.since
	}
	return t.cut.held(t.since)
}

// claim makes a claim that is not granted yet. mu is held.
func (h *hall) claim(of claimant, size int64, cut *cut) *taken {
	return &taken{hall: h, of: of, size: min(size, h.mostOfSession), asked: time.Now(), cut: cut, granted: make(chan struct{})}
}

// allowed reports whether a claim fits what its session and its client may hold. mu is
// held.
func (h *hall) allowed(t *taken) bool {
	if h.sessions[t.of]+t.size > h.mostOfSession {
		return false
	}
	client := h.clients[t.of.client]
	return !h.spare || client == 0 || client+t.size <= 3*(h.most-h.held)
}

// fits reports whether a claim may be granted now. mu is held.
func (h *hall) fits(t *taken) bool { return h.allowed(t) && h.held+t.size <= h.most }

// grant is called with mu held.
func (h *hall) grant(t *taken) {
	t.since = time.Now()
	h.count(t, t.size)
	if t.cut != nil {
		h.holding = append(h.holding, t)
	}
	close(t.granted)
}

// count is called with mu held.
func (h *hall) count(t *taken, more int64) {
	h.held += more
	if h.clients[t.of.client] += more; h.clients[t.of.client] == 0 {
		delete(h.clients, t.of.client)
	}
	if h.sessions[t.of] += more; h.sessions[t.of] == 0 {
		delete(h.sessions, t.of)
	}
}

func (h *hall) take(ctx context.Context, of claimant, size int64, cut *cut) (*taken, error) {
	t := h.ask(of, size, cut)
	select {
	case <-t.granted:
		return t, nil
	case <-ctx.Done():
		h.giveUp(t)
		return nil, context.Cause(ctx)
	}
}

// ask queues a claim.
func (h *hall) ask(of claimant, size int64, cut *cut) *taken {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.claim(of, size, cut)
	h.waiting = append(h.waiting, t)
	h.serve()
	return t
}

// giveUp drops a claim that nobody waits for any more, granted or not.
func (h *hall) giveUp(t *taken) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.waiting, t); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
	} else {
		h.leave(t, 0)
	}
	h.serve() // others may have waited behind it
}

// serve grants the claims that fit, and makes room for the next. mu is held.
func (h *hall) serve() {
	for {
		next := h.next()
		if next == nil {
			break
		}
		if !h.fits(next) {
			h.hasten(next)
			return
		}
		h.waiting = slices.DeleteFunc(h.waiting, func(t *taken) bool { return t == next })
		h.grant(next)
	}
	h.lookAgain(0)
}

// next is the claim to grant first; nil if all wait for their own sessions. mu is held.
func (h *hall) next() (first *taken) {
	for _, t := range h.waiting {
		if h.allowed(t) && (first == nil || cmp.Or(
			cmp.Compare(h.clients[t.of.client], h.clients[first.of.client]), cmp.Compare(h.sessions[t.of], h.sessions[first.of])) < 0) {
			first = t
		}
	}
	return first
}

// hasten cuts holders short that have overstayed, until there will be room for next:
// those of the client that holds most first, and of these the oldest. None is cut for
// another client that holds as much. One of a client that holds less than another
// holder's is cut only when next has waited for overstay too: otherwise a client that
// takes new answers all the time would have the slow ones of others cut. mu is held.
func (h *hall) hasten(next *taken) {
	now := time.Now()
	for h.held-h.ending+next.size > h.most {
		var first *taken
		var soon time.Duration
		later := func(left time.Duration) {
			if soon == 0 || left < soon {
				soon = left
			}
		}
		most := int64(0)
		for _, t := range h.holding {
			held := h.clients[t.of.client]
			if t.of.client != next.of.client && held <= h.clients[next.of.client] {
				continue
			}
			most = max(most, held)
			if left := overstay - now.Sub(t.heldSince()); left > 0 {
				later(left)
				continue
			}
			if first == nil || cmp.Or(cmp.Compare(h.clients[first.of.client], held), t.since.Compare(first.since)) < 0 {
				first = t
			}
		}
		if first != nil && h.clients[first.of.client] < most {
			if left := overstay - now.Sub(next.asked); left > 0 {
				later(left)
				first = nil
			}
		}
		if first == nil {
			h.lookAgain(soon)
			return
		}
		h.holding = slices.DeleteFunc(h.holding, func(t *taken) bool { return t == first })
		h.ending += first.size
		first.ending = true
		go first.cut.do()
	}
}

// lookAgain calls serve after a time; 0 means never. mu is held.
func (h *hall) lookAgain(after time.Duration) {
	if h.clock != nil {
		h.clock.Stop()
	}
	if after == 0 {
		return
	}
	h.clock = time.AfterFunc(after, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.serve()
	})
}

// shrink gives back all but size bytes; 0 gives all back. It may be called more than
// once.
func (t *taken) shrink(size int64) {
	if t == nil {
		return
	}
	t.hall.mu.Lock()
	defer t.hall.mu.Unlock()
	t.hall.leave(t, size)
	t.hall.serve()
}

// leave is called with mu held.
func (h *hall) leave(t *taken, size int64) {
	if size >= t.size {
		return
	}
	h.count(t, size-t.size)
	if t.ending {
		h.ending += size - t.size
	}
	t.size = size
	if size == 0 {
		h.holding = slices.DeleteFunc(h.holding, func(other *taken) bool { return other == t })
	}
}
