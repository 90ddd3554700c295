package protect

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hold opens a folder, through no link at its end.
func hold(path string) (m mooring, ok bool) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return m, false
	}
	m = mooring{path: path, fd: fd}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		m.release()
		return m, false
	}
	m.dev, m.ino = stat.Dev, stat.Ino
	return m, true
}

// isAt reports whether the folder is the one at a path.
func (m mooring) isAt(path string) bool {
	var stat unix.Stat_t
	return unix.Lstat(path, &stat) == nil && stat.Dev == m.dev && stat.Ino == m.ino
}

// where is the path at which the system has the folder now.
func (m mooring) where() string {
	at, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(m.fd)) // empty if it does not tell
	return at
}

func (m mooring) release() {
	if m.fd >= 0 {
		_ = unix.Close(m.fd)
	}
}
