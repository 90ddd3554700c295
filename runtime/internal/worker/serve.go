package worker

import (
	"errors"
	"io"
	"os"
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
	conn := os.NewFile(socket, "host")
	if conn == nil {
		return 70
	}
	confinement, err := Confine()
	if err != nil {
		confinement = append(confinement, "failed: "+err.Error())
	}
	s := &server{conn: conn, programs: realm.NewPrograms()}
	hello, err := wire.New(wire.KindHello, wire.Hello{Version: Version, Confinement: confinement}, nil)
	if err != nil || s.emit(hello) != nil {
		return 70
	}
	in := wire.NewReader(conn)
	for {
		f, err := in.Read()
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err != nil {
			return 70
		}
		s.take(f)
	}
}

// server runs one realm at a time.
type server struct {
	conn     io.Writer
	programs *realm.Programs

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
// run that is over is dropped.
func (s *server) take(f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Kind != wire.KindStart {
		if s.current != nil {
			s.current.Deliver(f)
		}
		return
	}
	var start wire.Start
	if f.Decode(&start) == nil && start.MaxMemoryBytes > 0 {
		// The collector works harder before the host loses patience.
		debug.SetMemoryLimit(start.MaxMemoryBytes / 8 * 7)
	}
	r := realm.New(realm.Config{Programs: s.programs, Emit: func(f wire.Frame) error {
		if f.Kind == wire.KindReturn || f.Kind == wire.KindThrow {
			s.mu.Lock()
			s.current = nil
			s.mu.Unlock()
		}
		return s.emit(f)
	}})
	s.current = r
	go r.Run(f)
}
