package regex

import (
	"container/list"
	"sync"
)

const (
	cachedPrograms = 1000
	cachedBytes    = 8 << 20
)

// cache keeps the programs that were used last, for all realms of the process.
type cache struct {
	mu    sync.Mutex
	used  *list.List // of *cached, the last used first
	known map[string]*list.Element
	bytes int
}

type cached struct {
	key     string
	program *Program
}

var programs = cache{used: list.New(), known: map[string]*list.Element{}}

// Get is [Compile] with a cache that all realms of the process share. It is safe for
// concurrent use.
func Get(pattern []uint16, flags Flags, stop func() bool) (*Program, error) {
	key := cacheKey(pattern, flags)
	if p := programs.get(key); p != nil {
		return p, nil
	}
	p, err := Compile(pattern, flags, stop)
	if err == nil {
		programs.put(key, p)
	}
	return p, err
}

func cacheKey(pattern []uint16, flags Flags) string {
	key := make([]byte, 0, 1+2*len(pattern))
	key = append(key, byte(flags))
	for _, c := range pattern {
		key = append(key, byte(c), byte(c>>8))
	}
	return string(key)
}

func (c *cache) get(key string) *Program {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.known[key]
	if e == nil {
		return nil
	}
	c.used.MoveToFront(e)
	return e.Value.(*cached).program
}

func (c *cache) put(key string, p *Program) {
	size := p.size() + len(key)
	if size > cachedBytes/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[key] != nil {
		return
	}
	c.known[key] = c.used.PushFront(&cached{key, p})
	c.bytes += size
	for c.bytes > cachedBytes || c.used.Len() > cachedPrograms {
		last := c.used.Back()
		old := c.used.Remove(last).(*cached)
		delete(c.known, old.key)
		c.bytes -= old.program.size() + len(old.key)
	}
}
