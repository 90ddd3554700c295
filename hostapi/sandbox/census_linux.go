package sandbox

import "sync"

// census reads every process for all that ask at the same time: whoever asks while one is read
// shares the next. Many commands that end at once would else read all of /proc each.
type census struct {
	mu      sync.Mutex
	read    func() []process
	reading bool
	next    *count // nil if nobody waits for it
}

// living is the census of the system, as this process sees it.
var living = census{read: readProcesses}

// count is one reading.
type count struct {
	begin chan struct{} // closed for everybody once it is made; the first to ask gets a value before, and makes it
	asked int           // how many wait for it
	all   []process
}

// processes are all processes, read after it was called. The caller must not change them.
func (c *census) processes() []process {
	c.mu.Lock()
	if !c.reading {
		c.reading = true
		c.mu.Unlock()
		return c.make(&count{begin: make(chan struct{})})
	}
	if c.next == nil {
		c.next = &count{begin: make(chan struct{}, 1)}
	}
	n := c.next
	n.asked++
	c.mu.Unlock()
	if _, first := <-n.begin; first {
		return c.make(n)
	}
	return n.all
}

// make reads, and lets one of those who came meanwhile make the next.
func (c *census) make(n *count) []process {
	n.all = c.read()
	close(n.begin)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.reading = false
		return n.all
	}
	c.next.begin <- struct{}{}
	c.next = nil // who comes now needs a later one
	return n.all
}
