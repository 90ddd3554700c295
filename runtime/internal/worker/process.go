package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// helloTime is how long a process may take until it says that it is a worker.
const helloTime = 20 * time.Second

// maxQueued bounds what waits to be written to a worker that does not read:
// the results of a run, and its inputs.
const maxQueued = 512 << 20

// Process is a worker, seen from its host. Its methods are safe for concurrent
// use.
type Process struct {
	cmd   *exec.Cmd
	conn  *os.File
	Hello wire.Hello

	frames chan wire.Frame // what it sends; closed at its end
	died   chan struct{}   // it has been reaped

	mu     sync.Mutex
	queue  []wire.Frame
	queued int
	closed bool
	wake   chan struct{}

	known map[string]bool // programs that it has compiled; of the pool
	runs  int
	base  int64 // its data when it was new
	limit int64 // what it was last limited to
	key   string
}

// spawn starts a worker and waits for its hello.
func (p *Pool) spawn() (*Process, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("a socket for the worker: %w", err)
	}
	defer theirs.Close()
	w := &Process{
		cmd: &exec.Cmd{
			Path: p.program, Args: append([]string{marker}, p.options.Args...), Env: []string{}, Dir: "/",
			ExtraFiles: []*os.File{theirs}, SysProcAttr: processAttributes(),
		},
		conn: ours, frames: make(chan wire.Frame, 16), died: make(chan struct{}), wake: make(chan struct{}, 1), known: map[string]bool{},
	}
	if err := p.starter.start(w.cmd); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p.living.Add(1)
	go func() {
		defer p.living.Done()
		_ = w.cmd.Wait() // the state tells
		close(w.died)
	}()
	if err := w.greet(); err != nil {
		w.Kill()
		return nil, err
	}
	go w.read()
	go w.write()
	return w, nil
}

// greet waits for the hello.
func (w *Process) greet() error {
	if err := w.conn.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return err
	}
	f, err := wire.NewReader(io.LimitReader(w.conn, wire.MaxHello)).Read()
	if err == nil && f.Kind != wire.KindHello {
		err = fmt.Errorf("it began with a %s frame", f.Kind)
	}
	if err == nil {
		err = f.Decode(&w.Hello)
	}
	if err == nil && w.Hello.Version != Version {
		err = fmt.Errorf("it speaks version %d, not %d; the program was replaced while it ran", w.Hello.Version, Version)
	}
	if err != nil {
		return fmt.Errorf("this program, started again, did not become a worker: %w; main must call runtime.WorkerMain before anything else", err)
	}
	return w.conn.SetReadDeadline(time.Time{})
}

// read passes on what the worker sends, to its end or its first mistake.
func (w *Process) read() {
	defer close(w.frames)
	in := wire.NewReader(w.conn)
	for {
		f, err := in.Read()
		if err != nil {
			var bad *wire.Error
			if errors.As(err, &bad) {
				w.Kill() // whatever it is, it is not ours any more
			}
			return
		}
		select {
		case w.frames <- f:
		case <-w.died:
			return
		}
	}
}

// Frames yields what the worker sends. It is closed when the worker has ended,
// or has sent what is no frame.
func (w *Process) Frames() <-chan wire.Frame { return w.frames }

// Send queues a frame. It never blocks; for a worker that does not read it
// becomes its end.
func (w *Process) Send(f wire.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if w.queued += len(f.Head) + len(f.Body); w.queued > maxQueued {
		w.closed = true
		go w.Kill()
		return
	}
	w.queue = append(w.queue, f)
	select {
	case w.wake <- struct{}{}:
	default: // it has been told already
	}
}

// write sends what is queued.
func (w *Process) write() {
	for {
		select {
		case <-w.wake:
		case <-w.died:
			return
		}
		for {
			w.mu.Lock()
			if len(w.queue) == 0 {
				w.mu.Unlock()
				break
			}
			f := w.queue[0]
			w.queue = w.queue[1:]
			w.mu.Unlock()
			if wire.Write(w.conn, f) != nil {
				return // its end is told by what is read
			}
			w.mu.Lock()
			w.queued -= len(f.Head) + len(f.Body)
			w.mu.Unlock()
		}
	}
}

// Kill ends the worker at once, and returns when it is gone. It may be called
// at any time, and more than once.
func (w *Process) Kill() {
	w.mu.Lock()
	w.closed, w.queue = true, nil
	w.mu.Unlock()
	_ = w.cmd.Process.Kill() // it may have ended
	<-w.died
	_ = w.conn.Close()
}

// Died is closed when the worker is gone; Death then says how.
func (w *Process) Died() <-chan struct{} { return w.died }

// Death says how the worker ended, in words. It must be gone.
func (w *Process) Death() string { return w.cmd.ProcessState.String() }

func (w *Process) gone() bool {
	select {
	case <-w.died:
		return true
	default:
		return false
	}
}
