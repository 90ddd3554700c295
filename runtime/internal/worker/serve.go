package worker

import (
	"errors"
	"io"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"sync"

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
	waitable(socket)
	conn := os.NewFile(socket, "host")
	if conn == nil {
		return exitBroken
	}
	confinement, err := Confine()
	if err != nil {
		confinement = append(confinement, "failed: "+err.Error())
	}
	return serve(conn, confinement)
}

// serve talks to a host until one of both has had enough.
func serve(conn io.ReadWriter, confinement []string) (code int) {
	s := &server{conn: conn, programs: realm.NewPrograms(), ready: make(chan *realm.Realm, 1)}
	hello, err := wire.New(wire.KindHello, wire.Hello{Version: Version, Confinement: confinement}, nil)
	if err != nil || s.emit(hello) != nil {
		return exitBroken
	}
	go s.prepare()
	in := wire.NewReader(conn)
	for {
		f, err := in.Read()
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err != nil {
			return exitBroken
		}
		if !s.take(f) {
			return exitBroken
		}
	}
}

// exitBroken is the exit code of a worker without a host that it understands.
const exitBroken = 70

// server runs one realm at a time.
type server struct {
	conn     io.Writer
	programs *realm.Programs
	ready    chan *realm.Realm // one that nobody has run in
	memory   int64             // what the last run was let have

	mu      sync.Mutex
	current *realm.Realm // nil between runs

	out sync.Mutex
}

func (s *server) emit(f wire.Frame) error {
	s.out.Lock()
	defer s.out.Unlock()
	return wire.Write(s.conn, f)
}

// take starts a run, or gives the one that there is a frame. What comes for a
// run that is over is dropped. It reports whether the host keeps to one run at
// a time.
func (s *server) take(f wire.Frame) bool {
	current := s.running()
	if f.Kind != wire.KindStart {
		if current != nil {
			current.Deliver(f)
		}
		return true
	}
	if current != nil {
		return false
	}
	var start wire.Start
	if f.Decode(&start) == nil && start.MaxMemoryBytes > 0 && start.MaxMemoryBytes != s.memory {
		// The collector works harder before the host loses patience.
		s.memory = start.MaxMemoryBytes
		debug.SetMemoryLimit(s.memory / 8 * 7) // which stops the world
	}
	r := <-s.ready
	s.mu.Lock()
	s.current = r
	s.mu.Unlock()
	go func() {
		r.Run(f)
		s.prepare()
	}()
	return true
}

func (s *server) running() *realm.Realm {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// prepare builds a realm before it is needed. What fails is told by the run.
func (s *server) prepare() {
	r := realm.New(realm.Config{Programs: s.programs, Emit: func(f wire.Frame) error {
		if f.Kind == wire.KindReturn || f.Kind == wire.KindThrow {
			s.mu.Lock()
			s.current = nil
			s.mu.Unlock()
		}
		return s.emit(f)
	}})
	_ = r.Prepare()
	s.ready <- r
}
