package sandbox

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// watch tells whether the entries of some folders have changed, with one system call.
// It is safe for concurrent use.
type watch struct {
	mu      sync.Mutex
	fd      int // -1 when it is closed
	changed bool
}

// newWatch watches folders; missing ones are skipped.
func newWatch(folders []string) (*watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	for _, dir := range folders {
		_, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_MOVE|unix.IN_DELETE|unix.IN_ATTRIB|
			unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
		if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EACCES) {
			_ = unix.Close(fd)
			return nil, &os.PathError{Op: "watch", Path: dir, Err: err}
		}
	}
	return &watch{fd: fd}, nil
}

// quiet reports whether nothing has changed yet.
func (w *watch) quiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd < 0 || w.changed {
		return false
	}
	var events [1024]byte
	_, err := unix.Read(w.fd, events[:])
	w.changed = !errors.Is(err, unix.EAGAIN)
	return !w.changed
}

// close may be called more than once.
func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd >= 0 {
		_ = unix.Close(w.fd)
		w.fd = -1
	}
}
