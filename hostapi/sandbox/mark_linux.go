package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mark tells the processes of a command from all others. It is a limit that every
// process inherits and nothing uses: the time that a real-time process may run without
// a pause. No process can raise it without privileges, and the sandbox refuses to
// change it at all.
type mark struct{ box, command uint64 }

// newMark is the mark of a box: some hundred thousand years, in microseconds.
func newMark() mark { return mark{box: 1<<62 | random()>>2} }

// of is the mark of one command: the soft limit, which must be below the box's hard
// limit.
func (m mark) of() mark { return mark{box: m.box, command: 1<<61 | random()>>3} }

func random() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.NativeEndian.Uint64(b[:])
}

// set makes the calling process pass the mark on to all that it starts from now on.
func (m mark) set() error {
	return unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: m.command, Max: m.box})
}

// markOf is the mark of a process; zero where it has none, is gone, or is somebody else's.
func markOf(pid int) (m mark) {
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return mark{}
	}
	_, line, _ := bytes.Cut(limits, []byte("\nMax realtime timeout"))
	fields := bytes.Fields(line)
	if len(fields) < 2 {
		return mark{}
	}
	if m.command, err = strconv.ParseUint(string(fields[0]), 10, 64); err == nil {
		m.box, err = strconv.ParseUint(string(fields[1]), 10, 64)
	}
	if err != nil {
		return mark{}
	}
	return m
}
