package serve

import (
	"cmp"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Connections bounds the connections of an [http.Server], so that no client keeps
// others out: it is the ConnState of the server whose listener it has made. Over the
// bound one that waits for a request is closed for one that comes; else one of the
// address that has most, if the newcomer's has fewer; else the newcomer is told to
// come back. It is safe for concurrent use, and not to be copied.
type Connections struct {
	// Most is how many there are at once; 0 means 1024.
	Most int

	mu   sync.Mutex
	open map[net.Conn]*connection
	made int64
}

// connection is one that is open.
type connection struct {
	conn    net.Conn
	address netip.Prefix
	number  int64 // the higher, the later it came
	busy    bool  // it has a request
	since   time.Time
}

// before says which of two waits for a request, or has for longer, or else came
// later: what has gone on for long is not what fills a server.
func (c *connection) before(other *connection) int {
	if c.busy != other.busy {
		if c.busy {
			return 1
		}
		return -1
	}
	if c.busy {
		return cmp.Compare(other.number, c.number)
	}
	return c.since.Compare(other.since)
}

// Listen is a listener with the bound.
func (c *Connections) Listen(on net.Listener) net.Listener { return &boundListener{on, c} }

// State is for [http.Server.ConnState].
func (c *Connections) State(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.open[conn]
	if of == nil {
		return
	}
	switch state {
	case http.StateActive:
		of.busy = true
	case http.StateIdle:
		of.busy, of.since = false, time.Now()
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	case http.StateNew:
	}
}

type boundListener struct {
	net.Listener
	of *Connections
}

// Accept implements [net.Listener].
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.of.admit(conn) {
			return conn, nil
		}
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // a short text does not wait
		_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain\r\nContent-Length: 41\r\n\r\nthere are too many connections; come back")
		_ = conn.Close()
	}
}

// admit reports whether there is a place, which may be that of another.
func (c *Connections) admit(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[net.Conn]*connection{}
	}
	c.made++
	next := &connection{conn: conn, address: network(conn.RemoteAddr()), number: c.made, since: time.Now()}
	if len(c.open) >= cmp.Or(c.Most, 1024) {
		last := c.dispensable(next.address)
		if last == nil {
			return false
		}
		delete(c.open, last.conn)
		go func() { _ = last.conn.Close() }() // its requests end
	}
	c.open[conn] = next
	return true
}

// dispensable is the connection that is closed for one of an address; nil if there
// is none.
func (c *Connections) dispensable(address netip.Prefix) *connection {
	held := map[netip.Prefix]int{}
	for _, of := range c.open {
		held[of.address]++
	}
	most := 0
	for _, n := range held {
		most = max(most, n)
	}
	of := slices.DeleteFunc(slices.Collect(maps.Values(c.open)), func(of *connection) bool { return held[of.address] < most })
	first := slices.MinFunc(of, (*connection).before)
	if first.busy && held[address]+1 >= most { // it has as much as others, or more
		return nil
	}
	return first
}

// network is whose an address is: one of version 6 is its network's of 64 bits,
// where everybody has as many as there are.
func network(address net.Addr) netip.Prefix {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap()
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	of, _ := ip.Prefix(bits) // it has so many
	return of
}
