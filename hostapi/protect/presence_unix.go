//go:build unix

package protect

import (
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// presence is a lock on a workspace, shared by all processes whose commands run there. No
// command can hold it alone while one of us shares it.
type presence struct {
	fd   int
	open bool
}

// enter shares the lock, and reports whether others do.
func (p *presence) enter(workspace string) (others bool) {
	p.leave()
	fd, err := unix.Open(workspace, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	for errors.Is(err, unix.EINTR) {
		fd, err = unix.Open(workspace, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return false
	}
	p.fd, p.open = fd, true
	others = p.share()
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK {
		others = true
	}
	return p.share() || others // the system may have released the share meanwhile
}

// share shares the lock, and reports whether somebody held it alone at first, as every process
// does for a moment in enter.
func (p *presence) share() (others bool) {
	const tries = 50
	for range tries {
		if unix.Flock(p.fd, unix.LOCK_SH|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return others
		}
		others = true
		time.Sleep(time.Millisecond)
	}
	return others
}

// where is the path at which the system has the workspace now; empty if it does not tell.
func (p *presence) where() string {
	if !p.open {
		return ""
	}
	at, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(p.fd))
	return at
}

// leave releases the lock.
func (p *presence) leave() {
	if p.open {
		_ = unix.Close(p.fd)
		p.open = false
	}
}
