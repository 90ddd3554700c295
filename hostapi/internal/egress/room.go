package egress

import (
	queue "container/list"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// Every command can connect to every address of the proxy, so a connection belongs to
// no pass until a request on it carries the secret. Those of passes are limited for each
// pass and for all. The others cost a descriptor each. If there are too many, the oldest
// one at the address with the most is closed: honest programs send a request at once,
// and do not lose their connections to silent ones at other addresses.

// room keeps these limits.
type room struct {
	mu      sync.Mutex
	waiting map[*Pass]*queue.List // *inside that belong to no pass yet, the oldest first; none is empty
	silent  int                   // how many they are
	taken   int                   // how many belong to passes
}

// inside is a connection of a command.
type inside struct {
	net.Conn
	proxy *Proxy
	pass  *Pass // the pass whose address it was made to

	// Guarded by the room.
	at    *queue.Element // in waiting; nil if it is not there
	taken bool           // it belongs to its pass
	gone  bool
}

// enter adds a connection, and says which one must go for it; nil for none.
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

// take gives a connection to its pass. why says that there is no room.
func (r *room) take(c *inside) (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case c.taken || c.gone:
		return ""
	case c.pass.taken >= mostOfPass:
		return fmt.Sprintf("the command has %d connections to the proxy at once, the most that one may have", mostOfPass)
	case r.taken >= mostConns:
		return fmt.Sprintf("all commands together have %d connections to the proxy at once, the most that is possible", mostConns)
	}
	c.stopWaiting(r)
	c.taken = true
	c.pass.taken++
	r.taken++
	return ""
}

// leave forgets a connection, and reports whether it belonged to its pass.
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

// reset makes closing a connection that belongs to no pass end it at the other end too.
// Otherwise that end would keep a port at the address of another command, which has
// 28,232 of them.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it has gone already
	}
}

// CloseWrite tells the other end that nothing more comes.
func (c *inside) CloseWrite() error { return closeWrite(c.Conn) }

// turnAway answers a request for which there is no room, and records it.
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

// door accepts connections to the addresses of passes.
type door struct{ proxy *Proxy }

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.proxy.listener.Accept()
		if err != nil {
			return nil, err
		}
		pass := d.proxy.passAt(conn.LocalAddr())
		if pass == nil { // no command was told of this address
			reset(conn)
			_ = conn.Close()
			continue
		}
		in := &inside{Conn: conn, proxy: d.proxy, pass: pass}
		if goes := d.proxy.room.enter(in); goes != nil {
			_ = goes.Close() // the command has the other end
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
