package egress

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/scriptrun/scriptrun/hostapi"
)

// How much of a pass is recorded.
const (
	mostKept    = 100
	mostRefused = 8
)

// Pass lets one command use the proxy, and records what it does. It is safe for
// concurrent use. The caller of [Proxy.Enter] must call Leave.
type Pass struct {
	proxy  *Proxy
	at     netip.Addr
	secret secret

	life context.Context // ends when it is left
	end  context.CancelFunc
	busy sync.WaitGroup // running requests

	taken int // connections of its own, guarded by the proxy's room

	mu      sync.Mutex
	left    bool
	conns   map[net.Conn]struct{}
	flows   []*flow
	more    int
	refused []Refusal
	looked  []Lookup
}

// flow is a connection to another machine, asked for and perhaps made.
type flow struct {
	host           string
	port           int
	usual          int    // the port that entries without one are about
	preset         string // the preset of the program, if it says which it is
	sent, received atomic.Int64

	refused, failed string // guarded by the pass
}

// begin counts a request in busy; false once the pass was left.
func (p *Pass) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return false
	}
	p.busy.Add(1)
	return true
}

// hold closes a connection when the pass is left; false if it was.
func (p *Pass) hold(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return false
	}
	p.conns[conn] = struct{}{}
	return true
}

func (p *Pass) release(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

// ask records that a request asked for a host.
func (p *Pass) ask(r *http.Request, host string, port, usual int) *flow {
	f := &flow{host: host, port: port, usual: usual}
	f.preset, _ = r.Context().Value(presetKey{}).(string)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.flows) < mostKept {
		p.flows = append(p.flows, f)
	} else {
		p.more++
	}
	return f
}

// refuse records that it was not allowed; key is the key of [sandbox] that could allow
// it, or empty.
func (p *Pass) refuse(f *flow, why, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.refused = why
	r := Refusal{Target: f.target(), Why: why, Key: key}
	if key != "" {
		r.Entry = f.entry()
	}
	if key == keyNetwork && f.preset != "" && !slices.Contains(p.proxy.list.presets, f.preset) {
		r.Preset = f.preset
	}
	same := func(other Refusal) bool { return other.Target == r.Target && other.Key == key }
	if len(p.refused) < mostRefused && !slices.ContainsFunc(p.refused, same) {
		p.refused = append(p.refused, r)
	}
}

// fail records that it failed.
func (p *Pass) fail(f *flow, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.refused == "" && f.failed == "" {
		f.failed = why
	}
}

func (f *flow) target() string { return net.JoinHostPort(f.host, strconv.Itoa(f.port)) }

// entry is the entry that a list would need.
func (f *flow) entry() string {
	if f.port == f.usual {
		return f.host
	}
	return f.target()
}

// Refusal is a host that was not allowed.
type Refusal struct {
	// Target is host:port.
	Target string
	// Why is the reason.
	Why string
	// Key is the key of [sandbox] that would allow it with Entry on its list: "network"
	// or "private". Both are empty if nothing would.
	Key, Entry string
	// Preset is the preset of the tool that asked, if the tool says which it is and the
	// list lacks the preset.
	Preset string
}

// Account is the record of a pass.
type Account struct {
	hostapi.Traffic
	// Refused are the first hosts that were not allowed, each once.
	Refused []Refusal
	// Looked are the first names that were looked up without the proxy, each once.
	Looked []Lookup
}

// Leave ends the requests of the pass and returns its record. It may be called more
// than once.
func (p *Pass) Leave() Account {
	p.proxy.forget(p)
	p.mu.Lock()
	p.left = true
	conns := p.conns
	p.conns = map[net.Conn]struct{}{}
	p.mu.Unlock()
	p.end()
	for conn := range conns {
		_ = conn.Close() // the command has the other end
	}
	p.busy.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	account := Account{Refused: slices.Clone(p.refused), Looked: slices.Clone(p.looked)}
	account.LeftOut = p.more
	for _, f := range p.flows {
		account.Connections = append(account.Connections, hostapi.Connection{
			Host: f.host, Port: f.port, Sent: f.sent.Load(), Received: f.received.Load(), Refused: f.refused, Failed: f.failed,
		})
	}
	return account
}
