package runtime

import (
	"sync"
	"time"
)

// maxPrograms is how many programs a runner keeps, and how many errors.
const maxPrograms = 256

// errorTime is how long the error of a source is kept. A directory with a file that is slow
// to check is loaded again whenever another file changes.
const errorTime = time.Minute

// programCache keeps the programs and errors of recently compiled sources, so that compiling
// one again costs only its digest. The zero value is empty.
type programCache struct {
	mu       sync.Mutex
	programs recent[*Program]
	errors   recent[failedSource]
}

// failedSource is why a source is not a program.
type failedSource struct {
	err    *CompileError
	within time.Duration // the time limit of its check
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
	c.programs.put(p.known, p)
}

func (c *programCache) fail(key string, err *CompileError, within time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors.put(key, failedSource{err, within, time.Now().Add(errorTime)})
}

// recent keeps the maxPrograms values that were added last.
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
