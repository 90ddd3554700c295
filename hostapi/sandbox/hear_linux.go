package sandbox

import "errors"

// fewPending is up to how many commands the one who waits for an answer comes before the next
// answer. With more, of which each may have some, others would wait for all of them.
const fewPending = 8

// hear passes an answer on, and reports whether who waits for it is to go on at once, on this thread.
// It does not wait itself.
func (r *remote) hear(got answer) (yield bool) {
	r.mu.Lock()
	if got.Failed != "" {
		r.failed = errors.New(got.Failed)
	}
	c, pending := r.pending[got.ID], len(r.pending)
	if got.Ended != nil {
		delete(r.pending, got.ID)
	}
	r.mu.Unlock()
	if c != nil {
		c.told(got)
	}
	return c != nil && pending <= fewPending
}
