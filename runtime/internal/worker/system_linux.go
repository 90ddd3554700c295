//go:build amd64 || arm64

package worker

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported says whether there are workers on this system: where a process can
// give up everything that a worker must.
const Supported = true

// program is this one, whatever became of its file: a host may be replaced by
// its next version while it runs.
const program = "/proc/self/exe"

// keepDescriptors keeps workers from descriptors that the host was given by
// whoever started it.
func keepDescriptors() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// nameProcess is what lists of processes show, as far as it goes.
func nameProcess() {
	_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(unsafe.StringData(marker+"\x00"))), 0, 0, 0)
}

// Resident is how much memory the worker has in use, in bytes; 0 if it is not
// known. It is for the borrower of the worker.
func (w *Process) Resident() int64 {
	conn, err := w.statm.SyscallConn()
	if err != nil {
		return 0
	}
	var text [128]byte // seven numbers, which one read yields
	n := 0
	_ = conn.Control(func(fd uintptr) { n, _ = unix.Pread(int(fd), text[:], 0) })
	_, rest, _ := bytes.Cut(text[:max(n, 0)], []byte(" "))
	second, _, _ := bytes.Cut(rest, []byte(" "))
	pages, err := strconv.ParseInt(string(second), 10, 64)
	if err != nil {
		return 0
	}
	w.held = pages * int64(os.Getpagesize())
	return w.held
}

// ownPeak is the most memory that this process has had, in bytes.
func ownPeak() int64 {
	var usage unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &usage) // it cannot fail for oneself
	return usage.Maxrss << 10
}

// processPeak is the most memory that a process had, or whoever started it.
func processPeak(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

// CPU is how long the worker has computed since it was started; 0 if it is not
// known.
func (w *Process) CPU() time.Duration {
	if w.gone() {
		return 0
	}
	// The clock of another process, as clock_getcpuclockid makes its name.
	clock := int32(^w.cmd.Process.Pid)<<3 | 2
	var ts unix.Timespec
	if unix.ClockGettime(clock, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// timerSlack is by how much the sleeps of a worker's threads may be too long,
// but for those of the first. The Go runtime watches over all from one that
// sleeps for 20 µs at a time after each wait for the host. Eight runs at once took
// a sixth longer for it; see docs/decisions/0016-timer-slack.md.
const timerSlack = 5 * time.Millisecond

// calmTimers is for all that the calling thread starts.
func calmTimers() { setTimerSlack(timerSlack) }

// exactTimers is for the calling thread, and those that it starts from now on,
// among which is not the one that watches. They wait for what scripts wait for.
func exactTimers() { setTimerSlack(50 * time.Microsecond) }

func setTimerSlack(d time.Duration) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(d), 0, 0, 0) // what sleeps too long or not long enough is slower, not wrong
}

// backNice is the priority of a worker that has stepped back. It has a share of
// 3 % beside another process then. At 10 it has 10 %, in pieces of a
// millisecond and more, and short runs beside eight that compute meet one of
// those in every hundred.
const backNice = 15

// stepBack gives the worker less of the processors than others where there are
// too few for all, for good.
func (w *Process) stepBack() {
	if !w.gone() && unix.Setpriority(unix.PRIO_PGRP, w.cmd.Process.Pid, backNice) == nil {
		w.behind.Store(true)
	}
}

// Limit bounds what the worker may ask the system for: data beyond what it has
// now, files that it opens, the core that it leaves.
func (w *Process) Limit(memory int64) error {
	pid := w.cmd.Process.Pid
	if w.limit == memory {
		return nil
	}
	w.limit = memory
	if w.base == 0 {
		w.base, w.held = w.sizes()
		for _, l := range []struct{ what, most int }{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NOFILE, 16}} {
			if err := unix.Prlimit(pid, l.what, &unix.Rlimit{Cur: uint64(l.most), Max: uint64(l.most)}, nil); err != nil {
				return err
			}
		}
	}
	var now unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, nil, &now); err != nil {
		return err
	}
	now.Cur = min(uint64(w.base+memory+memory/4), now.Max)
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &now, nil)
}

// sizes are that of what RLIMIT_DATA is about, and of the memory in use.
func (w *Process) sizes() (data, resident int64) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(w.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, 0
	}
	size := func(name string) int64 {
		_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
		number, _, _ := bytes.Cut(bytes.TrimSpace(rest[:min(len(rest), 64)]), []byte(" "))
		kb, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil {
			return 0
		}
		return kb << 10
	}
	return size("VmData"), size("VmRSS")
}
