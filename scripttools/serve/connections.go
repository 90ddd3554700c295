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
// others out. When it is full, a new connection replaces one that waits for a request.
// If none waits, it replaces one of the address that has most, provided that the
// newcomer's has fewer; otherwise the newcomer is told to come back. The zero value
// allows 1024. It is safe for concurrent use and must not be copied.
type Connections struct {
	// Most is how many may be open at once; 0 or less means 1024.
	Most int

	mu   sync.Mutex
	open map[*boundConn]struct{}
	made int64
}

// Bind returns a listener that applies the bound to a server that has not begun to
// serve. It sets the server's ConnState, which goes on calling the one set before.
func (c *Connections) Bind(server *http.Server, on net.Listener) net.Listener {
	before := server.ConnState
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		c.note(conn, state)
		if before != nil {
			before(conn, state)
		}
	}
	return &boundListener{on, c}
}

// boundConn is a connection that has a place until it is closed.
type boundConn struct {
	net.Conn
	of      *Connections
	address netip.Prefix
	number  int64 // later connections have higher ones
	busy    bool  // it has a request
	since   time.Time
}

// Close implements [net.Conn].
func (b *boundConn) Close() error {
	b.of.mu.Lock()
	delete(b.of.open, b)
	b.of.mu.Unlock()
	return b.Conn.Close()
}

func (c *Connections) note(conn net.Conn, state http.ConnState) {
	for {
		if bound, ok := conn.(*boundConn); ok {
			c.mu.Lock()
			defer c.mu.Unlock()
			bound.busy = state == http.StateActive
			bound.since = time.Now()
			return
		}
		outer, ok := conn.(interface{ NetConn() net.Conn }) // as that of TLS
		if !ok {
			return
		}
		conn = outer.NetConn()
	}
}

type boundListener struct {
	net.Listener
	of *Connections
}

const tooMany = "there are too many connections; try again later"

// Accept implements [net.Listener].
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if bound := l.of.admit(conn); bound != nil {
			return bound, nil
		}
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // a short text does not wait
		_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain\r\n\r\n"+tooMany)
		_ = conn.Close()
	}
}

// admit finds a place for a connection, and closes another for it if it must; nil if
// there is none.
func (c *Connections) admit(conn net.Conn) *boundConn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*boundConn]struct{}{}
	}
	c.made++
	next := &boundConn{Conn: conn, of: c, address: network(conn.RemoteAddr().String()), number: c.made, since: time.Now()}
	most := c.Most
	if most <= 0 {
		most = 1024
	}
	if len(c.open) >= most {
		last := c.dispensable(next.address)
		if last == nil {
			return nil
		}
		delete(c.open, last)
		go func() { _ = last.Conn.Close() }() // its requests end
	}
	c.open[next] = struct{}{}
	return next
}

// dispensable is the connection to close for one from address; nil if there is none. Of
// the busy ones it is the newest: long-lived ones are not what fills a server.
func (c *Connections) dispensable(address netip.Prefix) *boundConn {
	held := map[netip.Prefix]int{}
	for of := range c.open {
		held[of.address]++
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(c.open)), func(a, b *boundConn) int {
		switch most := cmp.Compare(held[b.address], held[a.address]); {
		case a.busy != b.busy && a.busy:
			return 1
		case a.busy != b.busy:
			return -1
		case most != 0:
			return most
		case a.busy:
			return cmp.Compare(b.number, a.number)
		}
		return a.since.Compare(b.since)
	})
	if first.busy && held[address]+1 >= held[first.address] { // it would have as many, or more
		return nil
	}
	return first
}

// network is the network that an address with a port belongs to: the /64 for IPv6,
// where one host has all of it. It is not valid for a text that is no address.
func network(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	of, _ := ip.Prefix(bits) // the address is at least as long
	return of
}
