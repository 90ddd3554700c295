package egress

import (
	"cmp"
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

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// The limits of what commands can use.
const (
	mostConns   = 1024 // connections that carried a request
	mostOfPass  = 128  // of these, of one pass
	mostWaiting = 256  // connections that have carried none yet
	maxHeader   = 64 << 10
	headerTime  = 10 * time.Second // for the header of a request, and the first record of TLS
	idleTime    = time.Minute      // between two requests
	silentTime  = 10 * time.Minute // of a tunnel or a request in which nothing moves
	maxResponse = 256 << 10        // of a response's header
)

// Options say what a proxy lets through. The zero Options let nothing through.
type Options struct {
	// List is the hosts that it connects to.
	List List
	// Private are the hosts on List whose addresses need not be public.
	Private dialguard.Private
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Names is the socket for DNS questions, if there is one. The answer is always that
	// there is no such name; the names are recorded. The proxy closes the socket.
	Names net.PacketConn

	silent time.Duration // 0 means silentTime
}

// Proxy serves a listener. It is safe for concurrent use.
type Proxy struct {
	list     List
	local    string // what is reached without it
	dialer   *dialguard.Dialer
	listener net.Listener
	names    net.PacketConn
	server   *http.Server
	forward  *httputil.ReverseProxy
	silent   time.Duration
	room     room
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
		list: o.List, local: o.List.local(), dialer: &dialguard.Dialer{Private: o.Private, Setting: "[sandbox] private", Resolver: o.Resolver},
		listener: listener, names: o.Names, silent: cmp.Or(o.silent, silentTime), passes: map[netip.Addr]*Pass{},
	}
	quiet := log.New(io.Discard, "", 0)
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ErrorLog: quiet,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, insideKey{}, conn)
		},
	}
	p.forward = p.newForward(quiet)
	p.serving.Go(func() { _ = p.server.Serve(&door{p}) }) // it ends with the listener
	if o.Names != nil {
		p.serving.Go(func() { p.answerNames(o.Names) })
	}
	return p
}

// Close ends all requests.
func (p *Proxy) Close() {
	p.closing.Do(func() {
		_ = p.server.Close()
		_ = p.listener.Close()
		if p.names != nil {
			_ = p.names.Close()
		}
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

// Enter makes a pass for a command.
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

// address is where a pass is served. Each has a loopback address of its own, so that its
// connections are known before anything is read from them.
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

type (
	insideKey struct{}
	presetKey struct{} // of the program that asks
)

// serve answers one request.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	in := insideOf(r.Context())
	pass := in.pass
	if !pass.begin() {
		panic(http.ErrAbortHandler) // the pass was left; this closes the connection
	}
	defer pass.busy.Done()
	preset, borne := pass.secret.borneBy(r)
	if !borne {
		p.stranger(w)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), presetKey{}, preset))
	switch why := p.room.take(in); {
	case why != "":
		turnAway(pass, w, r, why)
	case r.Method == http.MethodConnect:
		p.tunnel(pass, w, r)
	default:
		p.plain(in, w, r)
	}
}

// insideOf is the connection that a request came through: door makes no others.
func insideOf(ctx context.Context) *inside {
	in, _ := ctx.Value(insideKey{}).(*inside)
	return in
}
