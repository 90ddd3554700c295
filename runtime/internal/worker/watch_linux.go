//go:build amd64 || arm64

package worker

import (
	"sync"
	"time"
)

// How often a worker's memory is looked at. Most runs are over before the first
// look. One that does not compute is looked at less often: many wait for their
// tools.
const (
	firstLook  = 5 * time.Millisecond
	lookEvery  = 5 * time.Millisecond
	lookSeldom = 4 * lookEvery
)

// patience is how long a run may compute until it steps back behind others:
// short runs, and the host, do not wait for long ones.
const patience = 10 * time.Millisecond

// watch looks at a worker from the beginning of a run until the worker is given
// back or gone, whatever its host does meanwhile.
type watch struct {
	hostPeak int64 // the most that the host had had when the worker was started

	mu    sync.Mutex
	timer *time.Timer // nil while nothing is watched
	limit int64
	every time.Duration
	first time.Duration // what the worker had computed when the run began
	cpu   time.Duration // and at the last look
	peak  int64
	over  bool // it had more than its limit, and was killed
}

// patience is how long the worker may compute.
func (w *Process) patience() time.Duration {
	if w.runs == 0 {
		return checkPatience
	}
	return patience
}

// Watch begins to look at the worker's memory, for a run or a check. A worker that has
// more than the limit, in bytes, is killed.
func (w *Process) Watch(limit int64) {
	m := &w.watch
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit, m.every, m.peak, m.over = limit, lookEvery, w.held, false
	m.first = w.CPU()
	m.cpu = m.first
	if m.timer == nil {
		m.timer = time.AfterFunc(firstLook, w.look)
		return
	}
	m.timer.Reset(firstLook)
}

// look is done from time to time.
func (w *Process) look() {
	m := &w.watch
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limit == 0 || m.over || w.gone() {
		return
	}
	cpu := w.CPU()
	if !w.behind.Load() && cpu-m.first > w.patience() {
		w.stepBack()
	}
	m.every = min(2*m.every, lookSeldom)
	if cpu != m.cpu {
		m.every = lookEvery
	}
	m.cpu = cpu
	w.weigh()
	if !m.over {
		m.timer.Reset(m.every)
	}
}

// weigh looks at the memory, with m.mu held.
func (w *Process) weigh() {
	m := &w.watch
	now := w.Resident()
	m.peak = max(m.peak, now)
	if now > m.limit {
		m.over = true
		w.Kill()
		w.Interrupt() // its death may take a while
	}
}

// Unwatch ends the watch over a worker that goes on. It returns the most memory
// that was seen, and whether that was more than the limit.
func (w *Process) Unwatch() (peak int64, over bool) {
	m := &w.watch
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limit > 0 && !m.over && !w.gone() {
		w.weigh()
	}
	m.limit = 0
	if m.timer != nil {
		m.timer.Stop()
	}
	return m.peak, m.over
}

// Over reports whether the worker had more memory than its limit.
func (w *Process) Over() bool { return w.watch.wasOver() }

func (m *watch) wasOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// end is the worker's.
func (m *watch) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer != nil {
		m.timer.Stop()
	}
}

// Peak is the most memory that the worker had in this run, as far as is known:
// what was seen and, of one that is gone, what the system remembers. It does so
// for all runs of the process together, and counts in what the host had when it
// started it; where those may be meant, what was seen is what is told.
func (w *Process) Peak() int64 {
	m := &w.watch
	m.mu.Lock()
	defer m.mu.Unlock()
	if !w.gone() {
		return m.peak
	}
	if whole := processPeak(w.cmd.ProcessState); whole > m.hostPeak && (w.runs <= 1 || whole > maxKept) {
		return max(m.peak, whole)
	}
	return m.peak
}
