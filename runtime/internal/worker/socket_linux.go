//go:build amd64 || arm64

package worker

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	goruntime "runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/scriptrun/scriptrun/runtime/internal/wire"
	"golang.org/x/sys/unix"
)

// A thread that waits in the system for its peer wakes up at once, on the core on which the
// peer goes to sleep. One that waits for the poller of the Go runtime wakes up on another
// core, which is probably idle, and takes three times as long. So both ends wait in the
// system, and the poller knows neither file; see docs/decisions/0014-waiting-in-the-system.md.

// hostEnd is the host's end of a worker's socket. Only one goroutine reads; the rest is safe
// for concurrent use.
type hostEnd struct {
	file, bell *os.File
	conn, ring syscall.RawConn

	// The state of one system call; only the goroutine that reads uses it.
	until time.Time
	fds   [2]unix.PollFd
	into  []byte
	n     int
	errno error
	more  bool // there is probably something to read

	// Made once, since every frame needs them.
	receive, poll, pollBoth func(uintptr)
}

// socketPair makes a stream between a host and a worker.
func socketPair() (ours *hostEnd, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	h := &hostEnd{file: os.NewFile(uintptr(fds[0]), "worker")}
	theirs = os.NewFile(uintptr(fds[1]), "worker's end")
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err == nil {
		h.bell = os.NewFile(uintptr(bell), "bell")
		h.conn, err = h.file.SyscallConn()
	}
	if err == nil {
		h.ring, err = h.bell.SyscallConn()
	}
	if err != nil {
		_ = h.Close()
		_ = theirs.Close()
		return nil, nil, err
	}
	h.receive = func(fd uintptr) {
		h.n, _, h.errno = unix.Recvfrom(int(fd), h.into, unix.MSG_DONTWAIT)
	}
	h.poll = func(fd uintptr) {
		h.fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		h.errno = h.ring.Control(h.pollBoth)
	}
	h.pollBoth = func(fd uintptr) {
		h.fds[1] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		wait(h.fds[:], h.until)
	}
	return h, theirs, nil
}

// wait waits for events until a time; the zero time means without end.
func wait(fds []unix.PollFd, until time.Time) bool {
	for {
		var timeout *unix.Timespec
		if !until.IsZero() {
			left := unix.NsecToTimespec(int64(max(time.Until(until), 0)))
			timeout = &left
		}
		n, err := unix.Ppoll(fds, timeout, nil)
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

// Read reads what there is, or waits for it until h.until. The error is then errLate or
// errInterrupted.
func (h *hostEnd) Read(p []byte) (int, error) {
	h.into = p
	for {
		if !h.more {
			if err := h.wait(); err != nil {
				return 0, err
			}
		}
		if err := h.conn.Control(h.receive); err != nil {
			return 0, io.EOF // it was closed
		}
		h.more = h.errno == nil && h.n == len(p)
		switch {
		case h.errno == nil && h.n > 0:
			return h.n, nil
		case h.errno == nil:
			return 0, io.EOF
		case !errors.Is(h.errno, unix.EINTR) && !errors.Is(h.errno, unix.EAGAIN):
			return 0, h.errno
		}
	}
}

// wait waits for something to read.
func (h *hostEnd) wait() error {
	h.fds = [2]unix.PollFd{}
	if err := h.conn.Control(h.poll); err != nil || h.errno != nil {
		return io.EOF // at least one of the two files was closed
	}
	switch {
	case h.fds[1].Revents != 0:
		var count [8]byte
		_, _ = h.bell.Read(count[:]) // resets the bell
		return errInterrupted
	case h.fds[0].Revents == 0:
		return errLate
	}
	return nil
}

func (h *hostEnd) within(until time.Time) { h.until = until }

func (h *hostEnd) interrupt() {
	_, _ = h.bell.Write(binary.NativeEndian.AppendUint64(nil, 1)) // it may be closed
}

func (h *hostEnd) writeNow(data []byte) (n int) {
	_ = h.conn.Control(func(fd uintptr) {
		n, _ = unix.SendmsgN(int(fd), data, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	})
	return max(n, 0)
}

// Write waits until all is written.
func (h *hostEnd) Write(p []byte) (int, error) { return h.file.Write(p) }

// silent reports whether there is nothing to read, not even the end of the stream.
func (h *hostEnd) silent() bool {
	silent := false
	_ = h.conn.Control(func(fd uintptr) {
		_, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_DONTWAIT|unix.MSG_PEEK)
		silent = errors.Is(err, unix.EAGAIN)
	})
	return silent
}

// Close closes the socket. A read in progress ends when the worker dies.
func (h *hostEnd) Close() error {
	_ = h.bell.Close() // nil is an error of its own
	return h.file.Close()
}

// workerEnd is the worker's end.
type workerEnd struct{ fd int }

// socket is the only descriptor that a worker has besides its standard ones.
const socket = 3

// Serve runs a worker. It returns the exit code when the host is gone.
func Serve() int {
	goruntime.GOMAXPROCS(1) // a realm needs one thread; waking others costs time
	nameProcess()
	setTimerSlack(scriptSlack)
	if unix.SetNonblock(socket, true) != nil {
		return exitBroken
	}
	conn := workerEnd{socket}
	confinement, err := Confine()
	if err != nil {
		hello, _ := wire.New(wire.KindHello, wire.Hello{Version: Version, Unconfined: err.Error()}, nil)
		_ = wire.Write(conn, hello) // otherwise the host sees the end
		return exitUnconfined
	}
	return serve(conn, confinement, newTidier())
}

// exitUnconfined is the exit code of a worker that could not give up its rights. It has run
// nothing.
const exitUnconfined = 71

// Read and Write make raw system calls, which the Go runtime does not know of: they never
// block.
func (e workerEnd) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(e.fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		switch errno {
		case 0:
			if n == 0 {
				return 0, io.EOF
			}
			return int(n), nil
		case unix.EAGAIN:
			e.wait(unix.POLLIN, time.Time{})
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

func (e workerEnd) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(e.fd), uintptr(unsafe.Pointer(&p[written])), uintptr(len(p)-written))
		switch errno {
		case 0:
			written += int(n)
		case unix.EAGAIN:
			e.wait(unix.POLLOUT, time.Time{})
		case unix.EINTR:
		default:
			return written, errno
		}
	}
	return written, nil
}

func (e workerEnd) ready(d time.Duration) bool {
	if d < 0 {
		return e.wait(unix.POLLIN, time.Time{})
	}
	return e.wait(unix.POLLIN, time.Now().Add(d))
}

func (e workerEnd) wait(events int16, until time.Time) bool {
	return wait([]unix.PollFd{{Fd: int32(e.fd), Events: events}}, until)
}
