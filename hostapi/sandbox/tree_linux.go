package sandbox

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// procTree is a command as its holder sees it. Its members are the processes of the
// leader's group or session, the descendants of members, and the processes with the
// command's mark. A member stays one when its parent dies.
//
// Until the leader is reaped, no other process gets its process id, group or session.
type procTree struct {
	leader  int
	mark    mark
	started time.Time
	place   *place
	left    bool          // processes were left when the leader exited
	wanted  chan struct{} // closed when the host wants it forgotten
	want    sync.Once

	mu    sync.Mutex
	gone  bool           // the leader is reaped
	born  uint64         // the leader's start, in clock ticks; 0 until it is needed, or if it is not known
	known map[int]uint64 // members ever seen: pid → start
}

// process is the content of /proc/PID/stat.
type process struct {
	pid, parent, group, session int
	state                       byte
	born                        uint64
	mark                        func() mark // which is read when somebody asks
}

func newTree(leader int, mark mark) *procTree {
	return &procTree{leader: leader, mark: mark, started: time.Now(), known: map[int]uint64{}, wanted: make(chan struct{})}
}

// childless reports whether the leader certainly never forked: it was the last process
// or thread of the system to start. Within a second the counter cannot have wrapped
// around. births is the file with the counter.
func (t *procTree) childless(births int) bool {
	if time.Since(t.started) > time.Second {
		return false
	}
	var load [128]byte
	n, err := unix.Pread(births, load[:], 0)
	if err != nil {
		return false
	}
	fields := bytes.Fields(load[:n])
	return len(fields) == 5 && string(fields[4]) == strconv.Itoa(t.leader)
}

// signal sends a signal to every living member and returns how many it could reach;
// signal 0 only counts. It does not reach a member that changed its user.
func (t *procTree) signal(signal syscall.Signal) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return 0
	}
	if signal != 0 {
		_ = syscall.Kill(-t.leader, signal) // all at once, so that few can fork away
	}
	reached := 0
	for _, p := range t.members() {
		each := signal
		if p.group == t.leader && signal != syscall.SIGKILL {
			each = 0 // it has had the signal, and a second one may mean something else
		}
		// A member that changed its user cannot be reached, and is not waited for.
		if p.reach(each) {
			reached++
		}
	}
	return reached
}

// reach sends a signal to a process, and not to a later one that has its process id: where commands
// used up all ids, the next one gets that of a process that was just killed.
func (p process) reach(signal syscall.Signal) bool {
	fd, err := unix.PidfdOpen(p.pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return false
	case err != nil: // an older kernel, or no descriptor is left
		return syscall.Kill(p.pid, signal) == nil
	}
	defer unix.Close(fd)
	if now, ok := readProcess(p.pid); !ok || now.born != p.born {
		return false
	}
	return unix.PidfdSendSignal(fd, signal, nil, 0) == nil
}

// members reads every process once and returns the living members.
func (t *procTree) members() []process {
	if t.born == 0 { // most commands end before it is needed
		if p, ok := readProcess(t.leader); ok {
			t.born = p.born
		}
	}
	all := living.processes()
	in := map[int]bool{t.leader: true}
	for _, p := range all {
		born, seen := t.known[p.pid]
		if seen && born == p.born || p.born >= t.born && (p.group == t.leader || p.session == t.leader || p.mark() == t.mark) {
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.parent] && p.born >= t.born {
				in[p.pid], grown = true, true
			}
		}
	}
	var alive []process
	for _, p := range all {
		if in[p.pid] {
			t.known[p.pid] = p.born
			if p.state != 'Z' && p.state != 'X' {
				alive = append(alive, p)
			}
		}
	}
	return alive
}

func readProcesses() []process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // what can be read
	self := os.Getpid()
	var all []process
	for _, name := range names {
		// The holder carries the mark of its last command, and is no member.
		if pid, err := strconv.Atoi(name); err == nil && pid != self {
			if p, ok := readProcess(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	// The name stands in parentheses and may hold anything, parentheses too.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i])) // the kernel writes numbers
		return n
	}
	born, err := strconv.ParseUint(string(fields[19]), 10, 64)
	return process{
		pid: pid, state: fields[0][0], parent: number(1), group: number(2), session: number(3), born: born,
		mark: sync.OnceValue(func() mark { return markOf(pid) }),
	}, err == nil
}

// reap waits for the leader, which has exited. After that no signal is sent to the
// tree.
func (t *procTree) reap() uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = true
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(t.leader, &status, 0, nil)
		if !errors.Is(err, unix.EINTR) {
			return uint32(status)
		}
	}
}

// awaitExit blocks until the process has exited and leaves it unreaped.
func awaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}
