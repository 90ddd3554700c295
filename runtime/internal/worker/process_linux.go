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

// helloTime is how long a process may take until it says that it is a worker.
const helloTime = 20 * time.Second

// Process is a worker, seen from its host. Its methods are safe for concurrent
// use unless they say otherwise.
type Process struct {
	Peer
	cmd    *exec.Cmd
	socket *hostEnd
	statm  *os.File // where the system tells how much memory it has
	words  *words   // what its Go runtime writes when it dies
	watch  watch    // over its memory, while it is lent
	killed bool

	behind atomic.Bool // it has stepped back

	// These are the pool's.
	program string // the one program that it has compiled; empty if it has checked others since
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
	_ = theirs.Close() // so that its death is the end of the stream
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.watch.hostPeak = ownPeak()
	w.statm, err = os.Open(fmt.Sprintf("/proc/%d/statm", w.cmd.Process.Pid))
	open := p.born(w) // from here on others may kill it
	go func() {
		_ = w.cmd.Wait() // the state tells
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

// Kill ends the worker at once: it does nothing any more, and what it has sent
// and nobody has read may be lost. It is gone a while later, when the system has
// had the time to take its memory back. It may be called at any time, and more
// than once.
func (w *Process) Kill() {
	w.mu.Lock()
	w.closed, w.queue, w.killed = true, nil, true
	gone := w.gone()
	w.mu.Unlock()
	if gone {
		w.release()
		return
	}
	_ = w.cmd.Process.Kill() // it may have ended
}

// release gives back what the host has of a worker that is gone.
func (w *Process) release() {
	w.released.Do(func() {
		_ = w.conn.Close()
		_ = w.statm.Close() // nil is an error of its own
		w.words.close()
	})
}

// Died is closed when the worker is gone; Death then says how.
func (w *Process) Died() <-chan struct{} { return w.died }

// waits reports whether the worker lives and has said nothing that nobody asked
// for. The end of its socket is seen before its death.
func (w *Process) waits() bool { return !w.gone() && !w.in.Buffered() && w.socket.silent() }

func (w *Process) gone() bool {
	select {
	case <-w.died:
		return true
	default:
		return false
	}
}
