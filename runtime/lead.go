package runtime

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scriptrun/scriptrun/runtime/internal/worker"
)

// One goroutine leads a run: it waits for frames, and receives them in order.
// A call is made on a goroutine of its own, as it may take its time. Waking one
// takes longer than most calls that only look something up, so the leader makes
// a call itself when the tool has answered quickly before in this run. Should it
// take long all the same, a deputy leads from then on.

// task is a call that was received and is not yet made.
type task struct {
	tool string // empty for an operation, of which nobody knows how long it takes
	do   func()
}

// leadership is who leads, and which tools are quick.
type leadership struct {
	received *task        // of who leads
	made     int64        // calls that leaders made; likewise
	making   atomic.Int64 // the number of the one that the leader makes; 0 for none
	deputy   atomic.Bool  // there is one

	mu    sync.Mutex
	quick map[string]bool
}

const (
	quickCall = 100 * time.Microsecond
	// longCall is how long the deputy waits at least; twice that at most.
	longCall = time.Millisecond
)

// converse answers the realm until one of both ends the run.
func (e *execution) converse() ending {
	e.deadline = e.report.Started.Add(e.limits.Timeout)
	e.memory = e.cell.watch(e.limits.MaxMemoryBytes)
	defer func() { e.report.Usage.PeakMemoryBytes = e.memory.stop() }()
	defer context.AfterFunc(e.life, e.cell.interrupt)()
	e.lead(false)
	return <-e.ended
}

// lead leads until the run ends, or a deputy does. The goroutine of the run
// itself is not free to make calls: it must return when the run ends, whatever
// its tools do.
func (e *execution) lead(free bool) {
	for {
		end, over := e.advance()
		if over {
			e.ended <- end
			return
		}
		t := e.leader.received
		if t == nil {
			continue
		}
		e.leader.received = nil
		switch {
		case !e.leader.knowsQuick(t.tool):
			go e.leader.measure(t)
			goruntime.Gosched() // to it: this thread is about to wait in the system
		case !free:
			go func() {
				if e.make(t) {
					e.lead(true)
				}
			}()
			return
		case !e.make(t):
			return
		}
	}
}

// advance waits for one frame and receives it; over is true for the last.
func (e *execution) advance() (end ending, over bool) {
	switch f, what := e.cell.next(e.deadline, !e.wait.waits()); what { //exhaustive:enforce
	case worker.Arrived:
		if end, over = e.receive(f); over {
			return end, over
		}
	case worker.Ended:
		return e.died(e.memory.stop()), true
	case worker.Late, worker.Interrupted: // for one of these
	}
	switch {
	case e.life.Err() != nil:
		return e.cancelled(), true
	case e.memory.rang():
		return ending{why: whyMemory}, true
	case !time.Now().Before(e.deadline):
		return ending{why: whyTimeout}, true
	}
	return ending{}, false
}

// make makes a call, and reports whether its goroutine still leads.
func (e *execution) make(t *task) bool {
	l := &e.leader
	l.made++
	number := l.made
	l.making.Store(number)
	if l.deputy.CompareAndSwap(false, true) {
		go e.deputize()
	}
	l.measure(t)
	return l.making.CompareAndSwap(number, 0)
}

// deputize takes over from a leader whose call takes long, or lasts when the
// run is over. It ends when no call was made for a while.
func (e *execution) deputize() {
	l := &e.leader
	tick := time.NewTicker(longCall)
	defer tick.Stop()
	var before int64
	for {
		select {
		case <-tick.C:
		case <-e.life.Done():
		}
		now := l.making.Load()
		if now != before && e.life.Err() == nil {
			before = now
			continue
		}
		if now != 0 && l.making.CompareAndSwap(now, 0) {
			l.deputy.Store(false)
			tick.Stop()
			e.lead(true)
			return
		}
		// A leader says what it makes, and then looks for a deputy: one of both
		// sees the other.
		l.deputy.Store(false)
		if l.making.Load() == 0 || !l.deputy.CompareAndSwap(false, true) {
			return
		}
	}
}

// measure makes a call and notes whether it was quick.
func (l *leadership) measure(t *task) {
	began := time.Now()
	t.do()
	quick := time.Since(began) < quickCall
	if t.tool == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quick == nil {
		l.quick = map[string]bool{}
	}
	l.quick[t.tool] = quick
}

func (l *leadership) knowsQuick(tool string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quick[tool]
}
