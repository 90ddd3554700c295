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

// A thread that waits in the system for its peer is woken where the peer goes
// to sleep, at once. One that waits for the poller of the Go runtime is woken
// on another core, which is most likely asleep, and takes three times as long.
// So both ends wait for themselves, and neither file is known to the poller; see
// docs/decisions/0014-waiting-in-the-system.md.

// hostEnd is the host's end of the socket of a worker. One goroutine reads;
// the rest is safe for concurrent use.
type hostEnd struct {
	file, bell *os.File
	conn, ring syscall.RawConn

	// What one call in the system is about; of the goroutine that reads.
	until time.Time
	fds   [2]unix.PollFd
	into  []byte
	n     int
	errno error
	more  bool // most likely there is something to read

	// Made once, because they are needed for every frame.
	receive, poll, pollBoth func(uintptr)
}

// socketPair is a stream between a host and a worker.
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

// wait waits for events until a time; without end if it is the zero time.
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

// Read reads what there is, or waits for it until h.until; the error is then
// errLate, or errInterrupted.
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
		return io.EOF // one of both was closed
	}
	switch {
	case h.fds[1].Revents != 0:
		var count [8]byte
		_, _ = h.bell.Read(count[:]) // it was told
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

// silent reports whether there is nothing to read, not even an end.
func (h *hostEnd) silent() bool {
	silent := false
	_ = h.conn.Control(func(fd uintptr) {
		_, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_DONTWAIT|unix.MSG_PEEK)
		silent = errors.Is(err, unix.EAGAIN)
	})
	return silent
}

// Close gives the socket up. Who reads meanwhile is told when the worker dies.
func (h *hostEnd) Close() error {
	_ = h.bell.Close() // nil is an error of its own
	return h.file.Close()
}

// workerEnd is the worker's end.
type workerEnd struct{ fd int }

// socket is the one descriptor that a worker has besides three null devices.
const socket = 3

// Serve is a worker's life. It returns its exit code when the host is gone.
func Serve() int {
	goruntime.GOMAXPROCS(1) // a realm is one thread; others would only be woken for it
	nameProcess()
	exactTimers()
	conn, err := openSocket(socket)
	if err != nil {
		return exitBroken
	}
	confinement, err := Confine()
	if err != nil {
		hello, _ := wire.New(wire.KindHello, wire.Hello{Version: Version, Unconfined: err.Error()}, nil)
		_ = wire.Write(conn, hello) // the host is told, or sees the end
		return exitUnconfined
	}
	return serve(conn, confinement, newTidier())
}

// exitUnconfined is the exit code of a process that could not give up what a
// worker must. It has run nothing.
const exitUnconfined = 71

func openSocket(fd int) (connection, error) {
	return workerEnd{fd}, unix.SetNonblock(fd, true)
}

// Read and Write do not tell the Go runtime that they call the system, because
// they never wait there.
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
