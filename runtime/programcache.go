package runtime

import (
	"sync"
	"time"
)

// maxPrograms is how many programs a runner keeps, and how many errors.
const maxPrograms = 256

// errorTime is how long the error of a source is kept: a directory with a file
// that takes long to refuse is loaded again when another file has changed.
const errorTime = time.Minute

// programCache keeps what became of the sources that were compiled last, so
// that to compile one again costs no more than its digest. The zero value is
// empty.
type programCache struct {
	mu       sync.Mutex
	programs recent[*Program]
	errors   recent[failedSource]
}

// failedSource is why a source is no program.
type failedSource struct {
	err    *CompileError
	within time.Duration // how long it might have taken at most
	until  time.Time
}

func (c *programCache) get(key string, within time.Duration) (*Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if program, ok := c.programs.entries[key]; ok {
		return program, nil
	}
	if failed, ok := c.errors.entries[key]; ok && within <= failed.within && time.Now().Before(failed.until) {
		return nil, failed.err
	}
	return nil, nil
}

func (c *programCache) put(p *Program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs.put(p.key, p)
}

func (c *programCache) fail(key string, err *CompileError, within time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors.put(key, failedSource{err, within, time.Now().Add(errorTime)})
}

// recent keeps the values that were put last.
type recent[V any] struct {
	entries map[string]V
	order   []string // oldest first
}

func (r *recent[V]) put(key string, v V) {
	if r.entries == nil {
		r.entries = map[string]V{}
	}
	if _, ok := r.entries[key]; !ok {
		if len(r.order) == maxPrograms {
			delete(r.entries, r.order[0])
			r.order = r.order[1:]
		}
		r.order = append(r.order, key)
	}
	r.entries[key] = v
}
