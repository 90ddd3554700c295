//go:build amd64 || arm64

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// newWords is a pipe of one page. Who writes to a full one is told so at once.
func newWords() (*words, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("pipe2", err)
	}
	// Neither file is known to the poller of the Go runtime: os/exec would have
	// a file that is wait again.
	l := &words{ours: os.NewFile(uintptr(fds[0]), "last words"), theirs: os.NewFile(uintptr(fds[1]), "last words")}
	_, _ = unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, maxWords) // or it holds a little more
	for _, fd := range fds {
		if err := unix.SetNonblock(fd, true); err != nil {
			l.started()
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// readNow reads what there is.
func readNow(f *os.File, p []byte) (n int) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Control(func(fd uintptr) { n, _ = unix.Read(int(fd), p) })
	return max(n, 0)
}
