package worker

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Version is the version of the protocol. The host refuses a worker of another version.
const Version = 3

// marker is the only argument of a worker.
const marker = "scriptrun-worker"

// Is reports whether a process with these arguments was started as a worker.
func Is(args []string) bool { return len(args) == 1 && args[0] == marker }

// ConfinementError says that a worker could not be confined: the system refused a call that
// gives up rights.
type ConfinementError struct{ Reason string }

// Error implements error.
func (e *ConfinementError) Error() string {
	return "a worker could not be confined, so nothing ran in it: " + e.Reason +
		"; allow the seccomp system call where this program runs, or run scripts that you trust in process"
}

// exitBroken is the exit code of a worker whose host broke the protocol.
const exitBroken = 70

// connection is a worker's connection to its host.
type connection interface {
	io.ReadWriter
	// ready waits until there is something to read, or for a duration; a negative one has no
	// end.
	ready(d time.Duration) bool
}

// serve serves a host until the connection ends or one of them breaks the protocol. tidy is
// nil in a process that is not a worker's own.
func serve(conn connection, confinement []string, tidy *tidier) (code int) {
	s := &server{
		conn: conn, in: wire.NewReader(conn), programs: &realm.Programs{}, tidy: tidy, over: make(chan int, 1),
	}
	s.watch = time.AfterFunc(longRun, s.listen) // run starts it again
	defer s.watch.Stop()
	hello, err := wire.New(wire.KindHello, wire.Hello{Version: Version, Confinement: confinement}, nil)
	if err != nil || s.emit(hello) != nil {
		return exitBroken
	}
	go s.live()
	return <-s.over
}

// server runs one realm at a time, on the goroutine that also reads frames: a thread that
// waits in the system for its own data wakes up in half the time. While a script computes for
// long, listen checks now and then whether the host has sent a stop. listen never blocks:
// that would keep the script from its one processor until the Go runtime noticed.
type server struct {
	conn     connection
	in       *wire.Reader
	programs *realm.Programs
	tidy     *tidier
	watch    *time.Timer // calls listen while a script computes
	over     chan int    // the exit code

	mu      sync.Mutex   // held by who reads
	current *realm.Realm // nil between runs
	heard   bool         // listen has delivered something
}

// longRun is how often listen is called while a script computes.
const longRun = 10 * time.Millisecond

// live runs what the host starts. It makes each realm before its start frame comes.
func (s *server) live() {
	for {
		r := realm.New(realm.Config{Programs: s.programs, Emit: s.emit, Wait: s.wait, Started: func(start wire.Start) {
			s.tidy.within(start.MaxMemoryBytes)
		}})
		_ = r.Prepare() // the run reports the error
		f, ok := s.next()
		for ok && f.Kind != wire.KindStart {
			if f.Kind == wire.KindCheck {
				s.check(f)
			} // any other frame was for a run that is over
			f, ok = s.next()
		}
		if !ok {
			return
		}
		s.run(r, f)
		s.tidy.up()
	}
}

// check answers whether a source is a program. Only the host limits its time.
func (s *server) check(f wire.Frame) {
	var c wire.Check
	if f.Decode(&c) != nil {
		s.end(exitBroken)
		return
	}
	s.tidy.within(c.MaxMemoryBytes)
	answer, err := wire.New(wire.KindChecked, s.programs.Check(c, s.given), nil)
	if err != nil || s.emit(answer) != nil {
		s.end(exitBroken)
		return
	}
	s.tidy.up()
}

// given asks the host for a file that a source imports.
func (s *server) given(path string) (wire.Given, error) {
	need, err := wire.New(wire.KindNeed, wire.Need{Path: path}, nil)
	if err == nil {
		err = s.emit(need)
	}
	if err != nil {
		return wire.Given{}, err
	}
	f, ok := s.next()
	var given wire.Given
	if !ok || f.Kind != wire.KindGiven || f.Decode(&given) != nil {
		s.end(exitBroken)
		return given, errors.New("the host is gone")
	}
	return given, nil
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
		s.current = nil // later frames are not for it
		s.mu.Unlock()
	}
	return wire.Write(s.conn, f)
}

// next returns the next frame between runs.
func (s *server) next() (f wire.Frame, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready(-1)
	return s.read()
}

// wait delivers the next frame to a realm that waits.
func (s *server) wait(d time.Duration) {
	s.watch.Stop()
	defer s.watch.Reset(longRun)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard {
		s.heard = false
		return // the realm has not seen that yet
	}
	if s.ready(d) {
		if f, ok := s.read(); ok {
			s.pass(f)
		}
	}
}

// listen delivers what has come to a realm that computes.
func (s *server) listen() {
	if !s.mu.TryLock() {
		return // the script does not compute: wait or next reads
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

// read reads a frame. Without one it ends the server.
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

// end ends the server, and its script: the process may go on.
func (s *server) end(code int) {
	select {
	case s.over <- code:
	default: // the first reason counts
	}
	if s.current != nil {
		s.current.Deliver(wire.Frame{Kind: wire.KindStop})
	}
}

// pass delivers a frame to the current run. It reports false, and ends the server, if the host
// starts a second run.
func (s *server) pass(f wire.Frame) bool {
	if f.Kind == wire.KindStart {
		s.end(exitBroken)
		return false
	}
	s.current.Deliver(f)
	return true
}
