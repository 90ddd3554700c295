package egress

import (
	queue "container/list"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// Everybody inside can connect to every address of the proxy, so that a connection
// is nobody's until a request on it bore a secret. Those that are somebody's are
// bounded for each pass and for all. Those that are not cost a descriptor each, and
// when there are many the oldest goes of those at the address with the most: whoever
// means something by a connection says it at once, and nobody is kept waiting, or
// loses his own, by those who say nothing elsewhere.

// room is what there is of it.
type room struct {
	mu      sync.Mutex
	waiting map[*Pass]*queue.List // of *inside that are nobody's yet, the oldest first; none is empty
	silent  int                   // all of these
	taken   int                   // by all passes
}

// inside is a connection of somebody inside.
type inside struct {
	net.Conn
	proxy *Proxy
	pass  *Pass // at whose address it was made

	// Guarded by the room.
	at    *queue.Element // among those that wait; nil if it does not
	taken bool           // it is its pass's
	gone  bool
}

// enter takes in a connection, and says which one has to go for it; nil for none.
func (r *room) enter(c *inside) (goes *inside) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[*Pass]*queue.List{}
	}
	at := r.waiting[c.pass]
	if at == nil {
		at = queue.New()
		r.waiting[c.pass] = at
	}
	c.at = at.PushBack(c)
	if r.silent++; r.silent <= mostWaiting {
		return nil
	}
	for _, other := range r.waiting {
		if other.Len() > at.Len() {
			at = other
		}
	}
	goes, _ = at.Front().Value.(*inside)
	return goes
}

// take makes a connection that of its pass. It says why there is no room; empty if
// there is.
func (r *room) take(c *inside) (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case c.taken || c.gone:
		return ""
	case c.pass.taken >= mostOfPass:
		return fmt.Sprintf("the command has %d connections to the proxy at once, which is all that one may have", mostOfPass)
	case r.taken >= mostConns:
		return fmt.Sprintf("all commands have %d connections to the proxy at once, which is all that there may be", mostConns)
	}
	c.stopWaiting(r)
	c.taken = true
	c.pass.taken++
	r.taken++
	return ""
}

// leave forgets a connection, and reports whether it was somebody's.
func (r *room) leave(c *inside) (whose bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.stopWaiting(r)
	if whose = c.taken; whose {
		c.taken = false
		c.pass.taken--
		r.taken--
	}
	c.gone = true
	return whose
}

func (c *inside) stopWaiting(r *room) {
	if c.at == nil {
		return
	}
	at := r.waiting[c.pass]
	if at.Remove(c.at); at.Len() == 0 {
		delete(r.waiting, c.pass)
	}
	c.at = nil
	r.silent--
}

// Close implements [net.Conn]; it makes room for another.
func (c *inside) Close() error {
	c.pass.release(c)
	if !c.proxy.room.leave(c) {
		reset(c.Conn)
	}
	return c.Conn.Close()
}

// reset has a connection that is nobody's end at its other end too when it is closed.
// Whoever holds that would hold a port of the command at whose address it is, and
// there are 28,232 of them for an address.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it has gone already
	}
}

// CloseWrite tells the other end that nothing more comes.
func (c *inside) CloseWrite() error { return closeWrite(c.Conn) }

// turnAway answers a request for which there is no room, and notes it.
func turnAway(pass *Pass, w http.ResponseWriter, r *http.Request, why string) {
	target, usual := plainTarget, plainPort
	if r.Method == http.MethodConnect {
		target, usual = tunnelTarget, tunnelPort
	}
	host, port, err := target(r)
	if err != nil {
		notUnderstood(w, err)
		return
	}
	pass.refuse(pass.ask(r, host, port, usual), why, "")
	w.Header().Set("Connection", "close")
	http.Error(w, why, http.StatusServiceUnavailable)
}

// door is the listener, for those who connect to the address of a pass.
type door struct{ proxy *Proxy }

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.proxy.listener.Accept()
		if err != nil {
			return nil, err
		}
		pass := d.proxy.passAt(conn.LocalAddr())
		if pass == nil { // nobody was told of this address
			reset(conn)
			_ = conn.Close()
			continue
		}
		in := &inside{Conn: conn, proxy: d.proxy, pass: pass}
		if goes := d.proxy.room.enter(in); goes != nil {
			_ = goes.Close() // somebody inside has the other end; it is no matter
		}
		if !pass.hold(in) {
			_ = in.Close()
			continue
		}
		return in, nil
	}
}

// Close implements [net.Listener].
func (d *door) Close() error { return d.proxy.listener.Close() }

// Addr implements [net.Listener].
func (d *door) Addr() net.Addr { return d.proxy.listener.Addr() }
