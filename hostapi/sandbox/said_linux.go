package sandbox

import (
	"strings"
	"sync"
)

// said is the beginning of a holder's stderr, where only the Go runtime writes when it
// crashes.
type said struct {
	mu    sync.Mutex
	first []byte
}

// Write implements [io.Writer].
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = append(s.first, p[:min(len(p), 1000-len(s.first))]...)
	return len(p), nil
}

// last is its first line, or the setting to raise if it names a lack of memory or
// threads.
func (s *said) last() string {
	text := s.text()
	for _, words := range []string{"pthread_create failed", "out of memory", "cannot allocate memory"} {
		if strings.Contains(text, words) {
			return words + "; raise [sandbox.limits] memoryBytes or processes"
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}

func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.first)
}

// lastWords are why the holder ended: what it told the host, or what it wrote.
func (r *remote) lastWords() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return r.failed.Error()
	}
	return r.said.last()
}
