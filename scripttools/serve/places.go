package serve

import "sync"

const (
	// maxUnanswered limits the unanswered requests of one session.
	maxUnanswered = 64
	// maxUnansweredBytes limits their bytes, except for a single request.
	maxUnansweredBytes = 64 << 20
)

// places bounds the unanswered requests of one session. A request that finds no place
// waits, and nothing more is read from that client meanwhile. The zero value is ready.
type places struct {
	mu      sync.Mutex
	taken   int
	bytes   int
	changed chan struct{} // made by a waiter, closed at the next change
}

// free reports whether a request of that size may have a place now. mu is held.
func (p *places) free(size int) bool {
	return p.taken < maxUnanswered && (p.bytes == 0 || p.bytes+size <= maxUnansweredBytes)
}

// take waits for a place until giveUp is closed, and reports whether it got one.
func (p *places) take(size int, giveUp <-chan struct{}) bool {
	for {
		p.mu.Lock()
		if p.free(size) {
			p.taken++
			p.bytes += size
			p.mu.Unlock()
			return true
		}
		change := p.change()
		p.mu.Unlock()
		select {
		case <-change:
		case <-giveUp:
			return false
		}
	}
}

func (p *places) leave(size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	p.bytes -= size
	p.tell()
}

// change returns a channel that is closed at the next change. mu is held.
func (p *places) change() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// tell wakes all waiters. mu is held.
func (p *places) tell() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}
