//go:build amd64 || arm64

package worker

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// helloTime is how long a process can take until it sends its hello.
const helloTime = 20 * time.Second

// Process is the host's side of a worker. Its methods are safe for concurrent use unless they
// say otherwise.
type Process struct {
	Peer
	cmd    *exec.Cmd
	socket *hostEnd
	statm  *os.File // its size, from the system
	words  *words   // its standard error
	watch  watch    // of its memory, while it is lent
	killed bool

	slow atomic.Bool // it computed for long, and has a low priority

	// These are the pool's.
	program string // the one program that it has compiled; empty if it has checked others since
	heavy   bool   // which takes long to compile
	checks  int    // how many sources it has checked
	runs    int
	since   time.Time // it is idle
	base    int64     // its data segment when it was new
	limit   int64     // the memory it was last limited to
	key     string    // of the program it was lent for
	held    int64     // what Resident returned last
	owes    bool      // it keeps its place in the pool until it is gone

	released sync.Once
}

// spawn starts a worker and waits for its hello.
func (p *Pool) spawn() (*Process, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("a socket for the worker: %w", err)
	}
	w := &Process{
		cmd: &exec.Cmd{
			Path: program, Args: append([]string{marker}, p.options.Args...), Env: []string{}, Dir: "/",
			ExtraFiles: []*os.File{theirs}, SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
		},
		socket: ours,
	}
	w.connect(ours, w.Kill)
	if w.words, err = listen(w.cmd); err == nil {
		if err = p.starter.start(w.cmd); err != nil {
			w.words.close()
		}
		w.words.started()
	}
	_ = theirs.Close() // so that the stream ends when the worker dies
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.watch.hostPeak = ownPeak()
	w.statm, err = os.Open(fmt.Sprintf("/proc/%d/statm", w.cmd.Process.Pid))
	open := p.born(w) // other goroutines can kill it from here on
	go func() {
		_ = w.cmd.Wait() // ProcessState has the result
		w.watch.end()
		w.mu.Lock()
		close(w.died)
		unwanted := w.killed
		w.mu.Unlock()
		if unwanted {
			w.release()
		}
		p.buried(w)
	}()
	if !open {
		w.Kill()
		return nil, errClosed
	}
	if err == nil {
		if err = w.greet(time.Now().Add(helloTime)); err != nil {
			err = fmt.Errorf("this program, started again, did not become a worker: %w; main must call runtime.WorkerMain before anything else", err)
		}
	}
	if err != nil {
		w.Kill()
		return nil, err
	}
	if w.Hello.Unconfined != "" {
		w.Kill()
		return nil, &ConfinementError{Reason: w.Hello.Unconfined}
	}
	w.Hello.Confinement = slices.Concat(p.starter.denied, w.Hello.Confinement)
	go w.write()
	return w, nil
}

// Kill ends the worker at once; unread frames can be lost. The process is gone a while later,
// when the system has taken its memory back. Kill can be called at any time, and more than
// once.
func (w *Process) Kill() {
	w.mu.Lock()
	w.closed, w.queue, w.killed = true, nil, true
	gone := w.gone()
	w.mu.Unlock()
	if gone {
		w.release()
		return
	}
	_ = w.cmd.Process.Kill() // it may have ended already
}

// release closes the host's files of a worker that is gone.
func (w *Process) release() {
	w.released.Do(func() {
		_ = w.conn.Close()
		_ = w.statm.Close() // nil is an error of its own
		w.words.close()
	})
}

// Died is closed when the worker is gone; Death then says how.
func (w *Process) Died() <-chan struct{} { return w.died }

// waits reports whether the worker is alive and has sent nothing unasked. The end of its
// socket shows before its death does.
func (w *Process) waits() bool { return !w.gone() && !w.in.Buffered() && w.socket.silent() }

func (w *Process) gone() bool {
	select {
	case <-w.died:
		return true
	default:
		return false
	}
}
