//go:build unix

package protect

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// presence is a lock on a workspace, which everybody shares whose commands run there.
// No command has it for itself while one of us shares it.
type presence struct {
	fd   int
	open bool
}

// enter takes a share, and reports whether others have one.
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
	return p.share() || others // the system may have let the share go meanwhile
}

// share takes a share, and reports whether somebody had all of them at first, as whoever
// enters has for a moment.
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

// leave gives the share back.
func (p *presence) leave() {
	if p.open {
		_ = unix.Close(p.fd)
		p.open = false
	}
}
