package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// helloTime is how long a process may take until it says that it is a worker.
const helloTime = 20 * time.Second

// maxQueued bounds what waits to be written to a worker that does not read:
// the results of a run, and its inputs.
const maxQueued = 512 << 20

// Process is a worker, seen from its host. Its methods are safe for concurrent
// use unless they say otherwise.
type Process struct {
	cmd   *exec.Cmd
	conn  *hostEnd
	statm *os.File // where the system tells how much memory it has
	words *words   // what its Go runtime writes when it dies
	watch watch    // over its memory, while it is lent
	Hello wire.Hello

	in   *wire.Reader
	wide int           // bytes of the value before which Next stopped
	died chan struct{} // it has been reaped

	mu     sync.Mutex
	queue  [][]byte // encoded frames
	queued int
	busy   bool // somebody else writes
	closed bool
	killed bool
	wake   chan struct{}

	behind atomic.Bool // it has stepped back

	known  map[string]bool // programs that it has compiled; of the pool
	checks int             // how many sources it has checked; likewise
	runs   int
	since  time.Time // it is idle
	base   int64     // its data when it was new
	limit  int64     // what it was last limited to
	key    string
	held   int64 // what Resident told last
	owes   bool  // its place in the pool, until it is gone

	// The last start and its head: most runs of a worker begin alike.
	start     wire.Start
	startHead []byte

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
			ExtraFiles: []*os.File{theirs}, SysProcAttr: processAttributes(),
		},
		conn: ours, in: wire.NewReader(ours), died: make(chan struct{}), wake: make(chan struct{}, 1), known: map[string]bool{},
	}
	if w.words, err = listen(w.cmd); err == nil {
		if err = p.starter.start(w.cmd); err != nil {
			w.words.close()
		}
		w.words.started()
	}
	_ = theirs.Close() // so that its death is the end of the stream
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.watch.hostPeak = ownPeak()
	w.statm, err = sizes(w.cmd.Process.Pid)
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
		err = w.greet()
	}
	if err != nil {
		w.Kill()
		return nil, err
	}
	w.in.HoldWide(WideValue)
	if w.Hello.Unconfined != "" {
		w.Kill()
		return nil, &ConfinementError{Reason: w.Hello.Unconfined}
	}
	w.Hello.Confinement = slices.Concat(p.starter.denied, w.Hello.Confinement)
	go w.write()
	return w, nil
}

// greet waits for the hello.
func (w *Process) greet() error {
	w.conn.until = time.Now().Add(helloTime)
	f, err := wire.NewReader(io.LimitReader(w.conn, wire.MaxHello)).Read()
	if err == nil && f.Kind != wire.KindHello {
		err = fmt.Errorf("it began with a %s frame", f.Kind)
	}
	if err == nil {
		err = f.Decode(&w.Hello)
	}
	if err == nil && w.Hello.Version != Version {
		err = fmt.Errorf("it speaks version %d, not %d", w.Hello.Version, Version)
	}
	if err != nil {
		return fmt.Errorf("this program, started again, did not become a worker: %w; main must call runtime.WorkerMain before anything else", err)
	}
	return nil
}

// Arrival is what came of waiting for a frame.
type Arrival int

// The ways in which [Process.Next] ends.
const (
	Late        Arrival = iota // nothing came in time
	Interrupted                // by Interrupt
	Arrived                    // there is a frame
	Wide                       // there is a large value, which waits for Admit
	Ended                      // there will be none: the worker ended, or sent what is no frame
)

// Next waits for what the worker sends, until a time, or until [Process.Interrupt].
// Only one goroutine may call it at a time.
func (w *Process) Next(until time.Time) (wire.Frame, Arrival) {
	w.conn.until = until
	f, err := w.in.Read()
	if err == nil {
		return f, Arrived
	}
	if errors.Is(err, errLate) {
		return wire.Frame{}, Late
	}
	if errors.Is(err, errInterrupted) {
		return wire.Frame{}, Interrupted
	}
	if bytes, wide := w.in.Wide(err); wide {
		w.wide = bytes
		return wire.Frame{}, Wide
	}
	var bad *wire.Error
	if errors.As(err, &bad) {
		w.Kill() // whatever it is, it is not ours any more
	}
	return wire.Frame{}, Ended
}

// WideValue is how many bytes a value may have that [Process.Next] reads by itself.
const WideValue = 64 << 10

// Admit lets [Process.Next] read the value before which it stopped.
func (w *Process) Admit() { w.in.Admit() }

// WideBytes is how many bytes the value has before which [Process.Next] stopped.
func (w *Process) WideBytes() int { return w.wide }

// Interrupt ends the wait of [Process.Next], or else its next one.
func (w *Process) Interrupt() { w.conn.interrupt() }

// Start gives the worker a run. It is for the borrower of the worker.
func (w *Process) Start(start wire.Start, inputs []byte) error {
	if start != w.start {
		f, err := wire.New(wire.KindStart, start, nil)
		if err != nil {
			return err
		}
		w.start, w.startHead = start, f.Head
	}
	f := wire.Frame{Kind: wire.KindStart, Head: w.startHead, Body: inputs}
	if err := f.Check(); err != nil {
		return err
	}
	w.Send(f)
	return nil
}

// Send gives the worker a frame. It never blocks; for a worker that does not
// read, what waits becomes its end. A frame that may not be sent is dropped.
func (w *Process) Send(f wire.Frame) {
	data, err := wire.Encode(f)
	if err != nil {
		return // who made it has checked it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if !w.busy { // as it mostly is, and then nobody else has to wake up
		if data = data[w.conn.writeNow(data):]; len(data) == 0 {
			return
		}
	}
	if w.queued += len(data); w.queued > maxQueued {
		w.closed = true
		go w.Kill() // it takes the lock
		return
	}
	w.queue, w.busy = append(w.queue, data), true
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
		for data := w.next(); data != nil; data = w.next() {
			if _, err := w.conn.Write(data); err != nil {
				return // its end is told by what is read
			}
			w.mu.Lock()
			w.queued -= len(data)
			w.mu.Unlock()
		}
	}
}

// next takes what is first in the queue; nil at its end.
func (w *Process) next() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.busy = false
		return nil
	}
	data := w.queue[0]
	w.queue = w.queue[1:]
	return data
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
		w.conn.Close()
		_ = w.statm.Close() // nil is an error of its own
		w.words.close()
	})
}

// Died is closed when the worker is gone; Death then says how.
func (w *Process) Died() <-chan struct{} { return w.died }

// waits reports whether the worker lives and has said nothing that nobody asked
// for. The end of its socket is seen before its death.
func (w *Process) waits() bool { return !w.gone() && !w.in.Buffered() && w.conn.silent() }

func (w *Process) gone() bool {
	select {
	case <-w.died:
		return true
	default:
		return false
	}
}
