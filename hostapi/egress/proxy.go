package egress

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/hostapi/dialguard"
)

// The bounds of what those inside can have of the host.
const (
	mostConns   = 256
	maxHeader   = 64 << 10
	headerTime  = 10 * time.Second // for the header of a request, and the first record of TLS
	idleTime    = time.Minute      // between two requests
	silentTime  = 10 * time.Minute // of a tunnel in which nothing moves
	maxResponse = 256 << 10        // of a response's header
)

// Options say what a proxy lets through. The zero Options let nothing through.
type Options struct {
	// List is whom it connects to.
	List List
	// Private are those of them whose addresses need not be public.
	Private dialguard.Private
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
}

// Proxy serves a listener. It is safe for concurrent use.
type Proxy struct {
	list     List
	dialer   *dialguard.Dialer
	listener net.Listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	slots    chan struct{} // one for each connection that there may be
	over     chan struct{} // closed by Close
	closing  sync.Once
	serving  sync.WaitGroup

	strangers atomic.Int64

	mu     sync.Mutex
	last   uint32
	passes map[netip.Addr]*Pass
}

// New serves a listener until the proxy is closed, or the listener is.
func New(o Options, listener net.Listener) *Proxy {
	p := &Proxy{
		list: o.List, dialer: &dialguard.Dialer{Private: o.Private, Setting: "[sandbox] private", Resolver: o.Resolver},
		listener: listener, slots: make(chan struct{}, mostConns), over: make(chan struct{}), passes: map[netip.Addr]*Pass{},
	}
	quiet := log.New(io.Discard, "", 0)
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ErrorLog: quiet,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, passKey{}, conn.(*inside).pass) //nolint:forcetypeassert // door makes no others
		},
	}
	p.forward = p.newForward(quiet)
	p.serving.Go(func() { _ = p.server.Serve(&door{p}) }) // it ends with the listener
	return p
}

// Close ends everything that is under way.
func (p *Proxy) Close() {
	p.closing.Do(func() {
		close(p.over)
		_ = p.server.Close()
		_ = p.listener.Close()
		p.mu.Lock()
		var left []*Pass
		for _, pass := range p.passes {
			left = append(left, pass)
		}
		p.mu.Unlock()
		for _, pass := range left {
			pass.Leave()
		}
		p.serving.Wait()
	})
}

// Enter gives somebody inside a pass.
func (p *Proxy) Enter() *Pass {
	pass := &Pass{proxy: p, secret: newSecret(), conns: map[net.Conn]struct{}{}}
	pass.life, pass.end = context.WithCancel(context.Background())
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		p.last++
		pass.at = netip.AddrFrom4([4]byte{127, 64 | byte(p.last>>16)&0x3f, byte(p.last >> 8), byte(p.last)})
		if _, taken := p.passes[pass.at]; !taken {
			break
		}
	}
	p.passes[pass.at] = pass
	return pass
}

// address is where a pass is served. Each has a loopback address of its own, so
// that its connections are known before anything was read from them.
func (p *Pass) address() string {
	port := 0
	if at, ok := p.proxy.listener.Addr().(*net.TCPAddr); ok {
		port = at.Port
	}
	return net.JoinHostPort(p.at.String(), strconv.Itoa(port))
}

func (p *Proxy) forget(pass *Pass) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.passes, pass.at)
}

func (p *Proxy) passAt(address net.Addr) *Pass {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passes[at.Addr().Unmap()]
}

type passKey struct{}

// serve is one request.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	pass, _ := r.Context().Value(passKey{}).(*Pass)
	if pass == nil || !pass.begin() {
		panic(http.ErrAbortHandler) // it was left; the connection is closed
	}
	defer pass.busy.Done()
	if !pass.secret.borneBy(r) {
		p.stranger(w)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(pass, w, r)
		return
	}
	p.plain(pass, w, r)
}

// door is the listener, for those who have a pass and while there is room.
type door struct{ proxy *Proxy }

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	for {
		select {
		case d.proxy.slots <- struct{}{}:
		case <-d.proxy.over:
			return nil, net.ErrClosed
		}
		conn, err := d.proxy.listener.Accept()
		if err != nil {
			<-d.proxy.slots
			return nil, err
		}
		in := &inside{Conn: conn, proxy: d.proxy, pass: d.proxy.passAt(conn.LocalAddr())}
		if in.pass == nil || !in.pass.hold(in) {
			_ = in.Close() // nobody was told of this address
			continue
		}
		return in, nil
	}
}

// Close implements [net.Listener].
func (d *door) Close() error { return d.proxy.listener.Close() }

// Addr implements [net.Listener].
func (d *door) Addr() net.Addr { return d.proxy.listener.Addr() }

// inside is a connection of somebody who has a pass.
type inside struct {
	net.Conn
	proxy *Proxy
	pass  *Pass
	once  sync.Once
}

// Close implements [net.Conn]; it makes room for another.
func (c *inside) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		if c.pass != nil {
			c.pass.release(c)
		}
		<-c.proxy.slots
	})
	return err
}

// CloseWrite tells the other end that nothing more comes.
func (c *inside) CloseWrite() error { return closeWrite(c.Conn) }
