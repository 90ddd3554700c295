//go:build amd64 || arm64

package worker

import (
	"sync"
	"time"
)

// How often a worker's memory is measured. Most runs end before the first time. A worker that
// does not compute is measured less often: many wait for their tools.
const (
	firstLook  = 5 * time.Millisecond
	lookEvery  = 5 * time.Millisecond
	lookSeldom = 4 * lookEvery
)

// patience is how long a run can compute before its worker gets a low priority, so that short
// runs and the host do not wait for long runs.
const patience = 10 * time.Millisecond

// watch watches a worker from the beginning of a run until it is returned or gone.
type watch struct {
	hostPeak int64 // the host's peak memory when the worker was started

	mu    sync.Mutex
	timer *time.Timer // nil while nothing is watched
	limit int64
	every time.Duration
	first time.Duration // the worker's CPU time when the run began
	cpu   time.Duration // and at the last look
	peak  int64
	over  bool // it exceeded its limit, and was killed
}

// patience is how long the worker can compute before it steps back.
func (w *Process) patience() time.Duration {
	if w.runs == 0 {
		return checkPatience
	}
	return patience
}

// Watch starts to watch the worker's memory, for a run or a check. It kills a worker that
// exceeds the limit, in bytes.
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

// look measures time and memory, and sets the timer again.
func (w *Process) look() {
	m := &w.watch
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.limit == 0 || m.over || w.gone() {
		return
	}
	cpu := w.CPU()
	if cpu-m.first > w.patience() {
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

// weigh measures the memory. m.mu must be held.
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

// Unwatch ends the watch of a worker that lives on. It returns the peak, and whether it
// exceeded the limit.
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

// Over reports whether the worker exceeded its memory limit.
func (w *Process) Over() bool { return w.watch.wasOver() }

func (m *watch) wasOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// end stops the timer when the worker is gone.
func (m *watch) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.timer != nil {
		m.timer.Stop()
	}
}

// Peak is the worker's peak memory in this run: the largest measurement or, if the worker is
// gone, the peak that the system knows. That one covers all runs of the process, and the
// host's memory when it started the worker, so it is used only if it must be of this run.
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
