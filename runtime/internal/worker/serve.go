package worker

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Version is that of the frames. A worker of another version is not used.
const Version = 2

// marker is the first argument of a worker, by which the program knows itself.
const marker = "scriptrun-worker"

// Is reports whether a process with these arguments was started as a worker.
func Is(args []string) bool { return len(args) == 1 && args[0] == marker }

// ConfinementError is why there are no workers where there should be: a system
// call that takes rights away was refused.
type ConfinementError struct{ Reason string }

// Error implements error.
func (e *ConfinementError) Error() string {
	return "a worker could not be confined, so nothing ran in it: " + e.Reason +
		"; allow the seccomp system call where this program runs, or run scripts that you trust in process"
}

// exitBroken is the exit code of a worker without a host that it understands.
const exitBroken = 70

// connection is a worker's way to its host.
type connection interface {
	io.ReadWriter
	// ready waits until there is something to read, or for a time; without end
	// if that is negative.
	ready(d time.Duration) bool
}

// serve talks to a host until at least one of them has had enough. A process that is
// all its own has a tidier.
func serve(conn connection, confinement []string, tidy *tidier) (code int) {
	s := &server{
		conn: conn, in: wire.NewReader(conn), programs: &realm.Programs{}, tidy: tidy, over: make(chan int, 1),
	}
	s.watch = time.AfterFunc(longRun, s.listen) // there is nothing to listen to before a run
	defer s.watch.Stop()
	hello, err := wire.New(wire.KindHello, wire.Hello{Version: Version, Confinement: confinement}, nil)
	if err != nil || s.emit(hello) != nil {
		return exitBroken
	}
	go s.live()
	return <-s.over
}

// server runs one realm at a time, on the goroutine that also reads what the
// host sends: a thread that waits in the system for what it needs itself is
// woken in half the time. While a script computes for long, listen looks from
// time to time for the host's word that it must stop. It never waits there: that
// would keep the script from its one processor until the Go runtime noticed.
type server struct {
	conn     connection
	in       *wire.Reader
	programs *realm.Programs
	tidy     *tidier
	watch    *time.Timer // runs while a script computes
	over     chan int    // the exit code

	mu      sync.Mutex   // of who reads
	current *realm.Realm // nil between runs
	heard   bool         // listen has delivered something
}

// longRun is how long a script computes before somebody listens, and until
// somebody does so again.
const longRun = 10 * time.Millisecond

// live runs what the host starts, each in a realm that is made before.
func (s *server) live() {
	for {
		r := realm.New(realm.Config{Programs: s.programs, Emit: s.emit, Wait: s.wait, Started: func(start wire.Start) {
			s.tidy.within(start.MaxMemoryBytes)
		}})
		_ = r.Prepare() // what fails is told by the run
		f, ok := s.next()
		for ok && f.Kind != wire.KindStart {
			if f.Kind == wire.KindCheck {
				s.check(f)
			} // else it was for a run that is over
			f, ok = s.next()
		}
		if !ok {
			return
		}
		s.run(r, f)
		s.tidy.up()
	}
}

// check answers whether a source is a program. Whatever that takes, it is the
// host that ends it.
func (s *server) check(f wire.Frame) {
	var c wire.Check
	if f.Decode(&c) != nil {
		s.end(exitBroken)
		return
	}
	s.tidy.within(c.MaxMemoryBytes)
	answer, err := wire.New(wire.KindChecked, s.programs.Check(c), nil)
	if err != nil || s.emit(answer) != nil {
		s.end(exitBroken)
		return
	}
	s.tidy.up()
}

func (s *server) run(r *realm.Realm, f wire.Frame) {
	s.mu.Lock()
	s.current, s.heard = r, false
	s.mu.Unlock()
	s.watch.Reset(longRun)
	r.Run(f)
	s.watch.Stop()
}

func (s *server) emit(f wire.Frame) error {
	if f.Kind == wire.KindReturn || f.Kind == wire.KindThrow {
		s.mu.Lock()
		s.current = nil // what comes from now on is not for it
		s.mu.Unlock()
	}
	return wire.Write(s.conn, f)
}

// next is the next frame between runs.
func (s *server) next() (f wire.Frame, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready(-1)
	return s.read()
}

// wait gives the realm that waits what the host sends.
func (s *server) wait(d time.Duration) {
	s.watch.Stop()
	defer s.watch.Reset(longRun)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard {
		s.heard = false
		return // it has not looked yet
	}
	if s.ready(d) {
		if f, ok := s.read(); ok {
			s.pass(f)
		}
	}
}

// listen gives a realm that computes what the host has sent.
func (s *server) listen() {
	if !s.mu.TryLock() {
		return // somebody reads, and nobody computes
	}
	defer s.mu.Unlock()
	for s.current != nil && s.ready(0) {
		f, ok := s.read()
		if !ok || !s.pass(f) {
			return
		}
		s.heard = true
	}
	if s.current != nil {
		s.watch.Reset(longRun)
	}
}

func (s *server) ready(d time.Duration) bool {
	return s.in.Buffered() || s.conn.ready(d)
}

// read reads a frame. Without one there is no more to live for.
func (s *server) read() (wire.Frame, bool) {
	f, err := s.in.Read()
	switch {
	case errors.Is(err, io.EOF):
		s.end(0)
	case err != nil:
		s.end(exitBroken)
	}
	return f, err == nil
}

// end ends all, and the script that runs, in a process that goes on.
func (s *server) end(code int) {
	select {
	case s.over <- code:
	default: // there was a reason before
	}
	if s.current != nil {
		s.current.Deliver(wire.Frame{Kind: wire.KindStop})
	}
}

// pass gives a frame to the run that it is for. It reports whether the host
// keeps to one run at a time.
func (s *server) pass(f wire.Frame) bool {
	if f.Kind == wire.KindStart {
		s.end(exitBroken)
		return false
	}
	s.current.Deliver(f)
	return true
}
