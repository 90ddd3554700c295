package worker

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// maxQueued bounds what waits to be written to a cell that does not read: the
// results of a run, and its inputs.
const maxQueued = 512 << 20

// way is the host's end of the way to a cell. One goroutine reads; the rest is
// safe for concurrent use.
type way interface {
	io.ReadWriteCloser
	// within is until when Read waits; its error is then errLate, or errInterrupted.
	within(until time.Time)
	// interrupt ends the read that waits, or else the next one that would.
	interrupt()
	// writeNow writes what can be written without waiting.
	writeNow(data []byte) int
}

// These end a read without an end of the stream.
var (
	errLate        = errors.New("nothing came in time")
	errInterrupted = errors.New("interrupted")
)

// Peer is what the host knows of a cell that it talks to by frames. Its methods
// are safe for concurrent use unless they say otherwise.
type Peer struct {
	Hello wire.Hello

	conn  way
	in    *wire.Reader
	wide  int           // bytes of the value before which Next stopped
	fault error         // why nothing more comes
	kill  func()        // ends the cell
	died  chan struct{} // it is gone

	mu     sync.Mutex
	queue  [][]byte // encoded frames
	queued int
	busy   bool // somebody else writes
	closed bool
	wake   chan struct{}
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

// Arrival is what came of waiting for a frame.
type Arrival int

// The ways in which [Peer.Next] ends.
const (
	Late        Arrival = iota // nothing came in time
	Interrupted                // by Interrupt
	Arrived                    // there is a frame
	Wide                       // there is a large value, which waits for Admit
	Ended                      // there will be none: the cell ended, or sent what is no frame
)

// Cause is why a worker died, as far as its host can tell.
type Cause int

// The causes of a death.
const (
	Unknown     Cause = iota
	OutOfMemory       // it was refused memory, or had more than its limit
	OutOfStack        // its Go runtime's largest stack was not enough
)

// Death is how a worker ended.
type Death struct {
	Cause Cause
	Text  string // the system's word for it, and the worker's last ones
}

// WideValue is how many bytes a value may have that [Peer.Next] reads by itself.
const WideValue = 64 << 10

// Next waits for what the cell sends, until a time, or until [Peer.Interrupt].
// Only one goroutine may call it at a time.
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
		p.kill() // whatever it is, it is not ours any more
	}
	return wire.Frame{}, Ended
}

// Admit lets [Peer.Next] read the value before which it stopped.
func (p *Peer) Admit() { p.in.Admit() }

// WideBytes is how many bytes the value has before which [Peer.Next] stopped.
func (p *Peer) WideBytes() int { return p.wide }

// Interrupt ends the wait of [Peer.Next], or else its next one.
func (p *Peer) Interrupt() { p.conn.interrupt() }

// Fault is why nothing more comes, once [Peer.Next] has told that; nil before.
func (p *Peer) Fault() error { return p.fault }

// Send gives the cell a frame. It never blocks; for a cell that does not read,
// what waits becomes its end. A frame that may not be sent is dropped.
func (p *Peer) Send(f wire.Frame) {
	data, err := wire.Encode(f)
	if err != nil {
		return // who made it has checked it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if !p.busy { // as it mostly is, and then nobody else has to wake up
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
	default: // it has been told already
	}
}

// write sends what is queued.
func (p *Peer) write() {
	for {
		select {
		case <-p.wake:
		case <-p.died:
			return
		}
		for data := p.next(); data != nil; data = p.next() {
			if _, err := p.conn.Write(data); err != nil {
				return // its end is told by what is read
			}
			p.mu.Lock()
			p.queued -= len(data)
			p.mu.Unlock()
		}
	}
}

// next takes what is first in the queue; nil at its end.
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
