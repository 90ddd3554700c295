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

// Supported says whether there are workers on this system: a process must be able to give up
// all rights that a worker may not have.
const Supported = true

// program is this program, also if its file was replaced by a new version meanwhile.
const program = "/proc/self/exe"

// keepDescriptors keeps the descriptors that the host inherited from workers.
func keepDescriptors() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// nameProcess sets the name that lists of processes show.
func nameProcess() {
	_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(unsafe.StringData(marker+"\x00"))), 0, 0, 0)
}

// Resident is how much memory the worker uses, in bytes; 0 if unknown. Only the borrower of
// the worker can call it.
func (w *Process) Resident() int64 {
	conn, err := w.statm.SyscallConn()
	if err != nil {
		return 0
	}
	var text [128]byte // enough for its seven numbers
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

// ownPeak is the peak memory of this process, in bytes.
func ownPeak() int64 {
	var usage unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &usage) // it cannot fail for oneself
	return usage.Maxrss << 10
}

// processPeak is the peak memory of a process, or of the process that started it.
func processPeak(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

// CPU is how long the worker has computed since it was started; 0 if unknown.
func (w *Process) CPU() time.Duration {
	if w.gone() {
		return 0
	}
	// The ID of another process's CPU clock, as clock_getcpuclockid makes it.
	clock := int32(^w.cmd.Process.Pid)<<3 | 2
	var ts unix.Timespec
	if unix.ClockGettime(clock, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// timerSlack is how much longer the threads of a worker can sleep, except the first. A thread
// of the Go runtime sleeps for 20 µs again and again after each wait for the host, which made
// eight parallel runs a sixth slower; see docs/decisions/0016-timer-slack.md.
const timerSlack = 5 * time.Millisecond

// scriptSlack is the system's default, for the threads on which scripts wait.
const scriptSlack = 50 * time.Microsecond

// setTimerSlack is for the calling thread and those that it starts from now on.
func setTimerSlack(d time.Duration) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(d), 0, 0, 0) // without it workers are slower, not wrong
}

// backNice is the low priority of a worker that computes for long. It then gets 25 % of a
// processor beside another process. At 15 it would get 3 %: beside a build, honest scripts that
// compute for a second met their timeout, and a hundredth of short runs began a millisecond
// sooner.
const backNice = 5

// stepBack gives the worker a low priority, for good.
func (w *Process) stepBack() {
	if !w.slow.Load() && !w.gone() && unix.Setpriority(unix.PRIO_PGRP, w.cmd.Process.Pid, backNice) == nil {
		w.slow.Store(true)
	}
}

// Limit sets the system's limits of the worker: its data segment, its open files, and no core
// dump.
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

// sizes are what RLIMIT_DATA limits, and the memory in use.
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
