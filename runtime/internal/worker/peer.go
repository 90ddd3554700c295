package worker

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// maxQueued bounds the bytes that wait for a cell that does not read.
const maxQueued = 512 << 20

// maxWaiting is how many wait before a large frame has to wait as well, in [Peer.Room].
const maxWaiting = 16 << 20

// way is the host's end of a connection to a cell. Only one goroutine reads; the rest is safe
// for concurrent use.
type way interface {
	io.ReadWriteCloser
	// within sets until when Read waits. After that its error is errLate.
	within(until time.Time)
	// interrupt ends the current wait of Read, or else the next one, with errInterrupted.
	interrupt()
	// writeNow writes what does not block, and returns how many bytes that were.
	writeNow(data []byte) int
}

// The errors of a read after which the stream goes on.
var (
	errLate        = errors.New("nothing came in time")
	errInterrupted = errors.New("interrupted")
)

// Peer is the host's side of a cell. Its methods are safe for concurrent use unless they say
// otherwise.
type Peer struct {
	Hello wire.Hello

	conn  way
	in    *wire.Reader
	wide  int           // size of the value that Next stopped at
	fault error         // why the frames ended
	kill  func()        // ends the cell
	died  chan struct{} // closed when the cell is gone

	mu     sync.Mutex
	queue  [][]byte // encoded frames
	queued int
	busy   bool // the goroutine of write has data
	closed bool
	wake   chan struct{}
	taken  chan struct{} // closed when the cell has read something; nil if nobody waits for that
}

func (p *Peer) connect(conn way, kill func()) {
	p.conn, p.in, p.kill = conn, wire.NewReader(conn), kill
	p.died, p.wake = make(chan struct{}), make(chan struct{}, 1)
}

// greet waits for the hello.
func (p *Peer) greet(until time.Time) error {
	p.conn.within(until)
	f, err := wire.NewReader(io.LimitReader(p.conn, wire.MaxHello)).Read()
	if err == nil && f.Kind != wire.KindHello {
		err = fmt.Errorf("it began with a %s frame", f.Kind)
	}
	if err == nil {
		err = f.Decode(&p.Hello)
	}
	if err == nil && p.Hello.Version != Version {
		err = fmt.Errorf("it speaks version %d, not %d", p.Hello.Version, Version)
	}
	if err == nil {
		p.in.HoldWide(WideValue)
	}
	return err
}

// Arrival is how a wait for a frame ended.
type Arrival int

// The ways in which [Peer.Next] ends.
const (
	Late        Arrival = iota // no frame came in time
	Interrupted                // by Interrupt
	Arrived                    // there is a frame
	Wide                       // a large value waits for Admit
	Ended                      // no frame will come: the cell ended, or sent an invalid frame
)

// Cause is why a worker died, as far as its host knows.
type Cause int

// The causes of a death.
const (
	Unknown     Cause = iota
	OutOfMemory       // it was refused memory, or had more than its limit
	OutOfStack        // it exceeded the largest stack of its Go runtime
)

// Death is how a worker ended.
type Death struct {
	Cause Cause
	Text  string // the exit status, and the worker's last words
}

// WideValue is the size of the largest value that [Peer.Next] reads without [Peer.Admit].
const WideValue = 64 << 10

// Next waits for the next frame until a time or [Peer.Interrupt]. Only one goroutine can call
// it at a time.
func (p *Peer) Next(until time.Time) (wire.Frame, Arrival) {
	p.conn.within(until)
	f, err := p.in.Read()
	if err == nil {
		return f, Arrived
	}
	if errors.Is(err, errLate) {
		return wire.Frame{}, Late
	}
	if errors.Is(err, errInterrupted) {
		return wire.Frame{}, Interrupted
	}
	if bytes, wide := p.in.Wide(err); wide {
		p.wide = bytes
		return wire.Frame{}, Wide
	}
	p.fault = err
	var bad *wire.Error
	if errors.As(err, &bad) {
		p.kill() // it broke the protocol
	}
	return wire.Frame{}, Ended
}

// Admit lets [Peer.Next] read the value that it stopped at.
func (p *Peer) Admit() { p.in.Admit() }

// WideBytes is the size of the value that [Peer.Next] stopped at.
func (p *Peer) WideBytes() int { return p.wide }

// Interrupt ends the current wait of [Peer.Next], or else the next one.
func (p *Peer) Interrupt() { p.conn.interrupt() }

// Fault is why the frames ended, once [Peer.Next] has returned Ended.
func (p *Peer) Fault() error { return p.fault }

// Send sends the cell a frame. It never blocks: it kills a cell that does not read when too
// much waits. It drops an invalid frame.
func (p *Peer) Send(f wire.Frame) {
	data, err := wire.Encode(f)
	if err != nil {
		return // wire.New has reported it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if !p.busy { // as mostly; then no other goroutine has to wake up
		if data = data[p.conn.writeNow(data):]; len(data) == 0 {
			return
		}
	}
	if p.queued += len(data); p.queued > maxQueued {
		p.closed = true
		go p.kill() // it takes the lock
		return
	}
	p.queue, p.busy = append(p.queue, data), true
	select {
	case p.wake <- struct{}{}:
	default: // it has not woken up yet
	}
}

// Room waits until little is queued for the cell, so that a cell that does not read fills the
// host with no more than that; or until it is gone, or done is closed.
func (p *Peer) Room(done <-chan struct{}) {
	for {
		p.mu.Lock()
		if p.queued <= maxWaiting || p.closed {
			p.mu.Unlock()
			return
		}
		if p.taken == nil {
			p.taken = make(chan struct{})
		}
		taken := p.taken
		p.mu.Unlock()
		select {
		case <-taken:
		case <-p.died:
			return
		case <-done:
			return
		}
	}
}

// write sends what is queued, until the cell is gone.
func (p *Peer) write() {
	for {
		select {
		case <-p.wake:
		case <-p.died:
			return
		}
		for data := p.next(); data != nil; data = p.next() {
			if _, err := p.conn.Write(data); err != nil {
				return // Next reports the end
			}
			p.mu.Lock()
			p.queued -= len(data)
			if p.taken != nil {
				close(p.taken)
				p.taken = nil
			}
			p.mu.Unlock()
		}
	}
}

// next takes the first of the queue; nil if it is empty.
func (p *Peer) next() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.busy = false
		return nil
	}
	data := p.queue[0]
	p.queue = p.queue[1:]
	return data
}
