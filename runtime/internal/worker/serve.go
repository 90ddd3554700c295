package worker

import (
	"errors"
	"io"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// Version is that of the frames. A worker of another version is not used.
const Version = 1

// socket is the one descriptor that a worker has besides three null devices.
const socket = 3

// marker is the first argument of a worker, by which the program knows itself.
const marker = "scriptrun-worker"

// Is reports whether a process with these arguments was started as a worker.
func Is(args []string) bool { return len(args) == 1 && args[0] == marker }

// Serve is a worker's life. It returns its exit code when the host is gone.
func Serve() int {
	goruntime.GOMAXPROCS(1) // a realm is one thread; others would only be woken for it
	nameProcess()
	conn, err := openSocket(socket)
	if err != nil {
		return exitBroken
	}
	confinement, err := Confine()
	if err != nil {
		confinement = append(confinement, "failed: "+err.Error())
	}
	return serve(conn, confinement)
}

// exitBroken is the exit code of a worker without a host that it understands.
const exitBroken = 70

// connection is a worker's way to its host.
type connection interface {
	io.ReadWriter
	// ready waits until there is something to read, or for a time; without end
	// if that is negative. If it will be soon, it is worth a processor.
	ready(d time.Duration, soon bool) bool
}

// serve talks to a host until one of both has had enough.
func serve(conn connection, confinement []string) (code int) {
	s := &server{
		conn: conn, in: wire.NewReader(conn), programs: realm.NewPrograms(),
		starts: make(chan wire.Frame, 1), over: make(chan int, 2),
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
// woken in half the time. Only when a script computes for long does another
// one listen, for the host's word that it must stop; and it stays with that.
type server struct {
	conn     connection
	in       *wire.Reader
	programs *realm.Programs
	memory   int64           // what the last run was let have
	alone    bool            // as the host said last
	watch    *time.Timer     // runs while a script computes
	starts   chan wire.Frame // that listen read
	over     chan int        // the exit code

	mu        sync.Mutex
	current   *realm.Realm // nil between runs
	reading   bool         // live waits for a frame
	listening bool         // listen reads
}

// longRun is how long a script computes before somebody listens.
const longRun = 10 * time.Millisecond

// live runs what the host starts, each in a realm that is made before.
func (s *server) live() {
	for {
		r := realm.New(realm.Config{Programs: s.programs, Emit: s.emit, Wait: s.wait, Started: s.started})
		_ = r.Prepare() // what fails is told by the run
		f, ok := s.next()
		for ok && f.Kind != wire.KindStart {
			f, ok = s.next() // that was for a run that is over
		}
		if !ok {
			return
		}
		s.run(r, f)
	}
}

// started does what the host wants of the process.
func (s *server) started(start wire.Start) {
	s.alone = start.Alone
	if start.MaxMemoryBytes > 0 && start.MaxMemoryBytes != s.memory {
		// The collector works harder before the host loses patience.
		s.memory = start.MaxMemoryBytes
		debug.SetMemoryLimit(s.memory / 8 * 7) // which stops the world
	}
}

func (s *server) run(r *realm.Realm, f wire.Frame) {
	s.mu.Lock()
	s.current = r
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
	if !s.claim() {
		f, ok = <-s.starts
		return f, ok
	}
	defer s.release()
	s.ready(-1)
	return s.read()
}

// wait gives the realm that waits what the host sends.
func (s *server) wait(d time.Duration) bool {
	if !s.claim() {
		return false
	}
	s.watch.Stop()
	defer s.watch.Reset(longRun)
	defer s.release()
	if s.ready(d) {
		if f, ok := s.read(); !ok || !s.pass(f) {
			s.current.Deliver(wire.Frame{Kind: wire.KindStop})
		}
	}
	return true
}

// claim makes live the one that reads, unless listen is.
func (s *server) claim() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading = !s.listening
	return s.reading
}

func (s *server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading = false
}

// listen reads from now on, while a script computes.
func (s *server) listen() {
	s.mu.Lock()
	idle := s.listening || s.reading || s.current == nil
	s.listening = s.listening || !idle
	s.mu.Unlock()
	if idle {
		return // there is somebody who does, or nothing to stop
	}
	defer close(s.starts)
	for {
		if f, ok := s.read(); !ok || !s.pass(f) {
			return
		}
	}
}

func (s *server) ready(d time.Duration) bool { return s.in.Buffered() || s.conn.ready(d, s.alone) }

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

func (s *server) end(code int) {
	select {
	case s.over <- code:
	default: // there was a reason before
	}
}

// pass gives a frame to the run that it is for, or to live. It reports whether
// the host keeps to one run at a time.
func (s *server) pass(f wire.Frame) bool {
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	switch {
	case f.Kind != wire.KindStart && current != nil:
		current.Deliver(f)
	case f.Kind == wire.KindStart && current != nil:
		s.end(exitBroken)
		return false
	case f.Kind == wire.KindStart:
		s.starts <- f
	}
	return true
}
