package shell

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// mark tells the processes of a command from all others, where there are no
// control groups: a limit that every process inherits and that matters to
// nobody, the time that a real-time process may run without a pause. No
// process can raise it without privileges, and the sandbox refuses to change
// it at all.
type mark struct{ site, terminal uint64 }

// newMark is the mark of a site, some hundred thousand years of microseconds.
func newMark() mark { return mark{site: 1<<62 | random()>>2} }

// of is the mark of a terminal of the site. As the lower limit it must be
// below the site's, the upper.
func (m mark) of() mark { return mark{site: m.site, terminal: 1<<61 | random()>>3} }

func random() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.NativeEndian.Uint64(b[:])
}

// put marks a process that is halted, and so all that it will start.
func (m mark) put(process *os.Process) {
	// One that has ended meanwhile needs no mark.
	_ = unix.Prlimit(process.Pid, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: m.terminal, Max: m.site}, nil)
}

// halting has a command halt before its first instruction, by being traced by
// the thread that starts it.
func halting(cmd *exec.Cmd) { cmd.SysProcAttr.Ptrace = true }

// halt waits until the process, which this thread has started, halts.
func halt(process *os.Process) {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(process.Pid, &status, unix.WUNTRACED|unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// canHalt tries whether a process can be halted at its start.
func canHalt() error {
	result := make(chan error)
	onOwnThread(func() {
		cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", ":"}, Env: []string{}, SysProcAttr: processAttributes()}
		halting(cmd)
		err := cmd.Start()
		if err == nil {
			halt(cmd.Process)
			letRun(cmd.Process)
			err = cmd.Wait()
		}
		result <- err
	})
	return <-result
}

// letRun lets a process run that halts, untraced. Should it have been killed,
// there is nothing to let run.
func letRun(process *os.Process) { _ = unix.PtraceDetach(process.Pid) }

// on reports whether a process carries the mark.
func (m mark) on(pid int) bool {
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return false // gone, or somebody else's
	}
	_, line, _ := bytes.Cut(limits, []byte("\nMax realtime timeout"))
	fields := bytes.Fields(line)
	return len(fields) >= 2 && string(fields[0]) == strconv.FormatUint(m.terminal, 10) && string(fields[1]) == strconv.FormatUint(m.site, 10)
}

// text is how /proc shows the mark of a site.
func (m mark) text() string { return strconv.FormatUint(m.site, 10) }
