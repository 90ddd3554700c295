package worker

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// lazy is a connection whose other end reads when the test says so.
type lazy struct{ reads chan struct{} }

func (l lazy) Read([]byte) (int, error) { return 0, io.EOF }
func (l lazy) Close() error             { return nil }
func (l lazy) within(time.Time)         {}
func (l lazy) interrupt()               {}
func (l lazy) writeNow([]byte) int      { return 0 }

func (l lazy) Write(data []byte) (int, error) {
	<-l.reads
	return len(data), nil
}

// TestRoomWaitsForACellThatDoesNotRead: until it reads, or is gone, or nobody waits any more.
func TestRoomWaitsForACellThatDoesNotRead(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *Peer, l lazy, done chan struct{}){
		"it reads":   func(_ *Peer, l lazy, _ chan struct{}) { l.reads <- struct{}{} },
		"it dies":    func(p *Peer, _ lazy, _ chan struct{}) { close(p.died) },
		"it is over": func(_ *Peer, _ lazy, done chan struct{}) { close(done) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, done := lazy{make(chan struct{})}, make(chan struct{})
			p := &Peer{}
			p.connect(l, func() {})
			go p.write()
			p.Room(done) // nothing waits
			frame, err := wire.New(wire.KindResult, wire.Result{Seq: 1}, []byte(`"`+strings.Repeat("x", maxWaiting)+`"`))
			if err != nil {
				t.Fatal(err)
			}
			p.Send(frame)
			waited := make(chan struct{})
			go func() {
				defer close(waited)
				p.Room(done)
			}()
			for asked := false; !asked; { // nothing tells
				p.mu.Lock()
				asked = p.taken != nil
				p.mu.Unlock()
			}
			select {
			case <-waited:
				t.Fatal("it did not wait")
			default:
			}
			end(p, l, done)
			<-waited
			if name != "it dies" {
				close(p.died)
			}
			if name != "it reads" {
				close(l.reads)
			}
		})
	}
}
