//go:build unix

package protect

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// presence is a lock on a workspace, which everybody shares whose commands run there.
// No command has it for itself while one of us shares it.
type presence struct{ f *os.File }

// enter takes a share, and reports whether others have one.
func (p *presence) enter(workspace string) (others bool) {
	p.leave()
	f, err := os.Open(workspace)
	if err != nil {
		return false
	}
	p.f = f
	others = p.share()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK {
		others = true
	}
	return p.share() || others // the system may have let the share go meanwhile
}

// share takes a share, and reports whether somebody had all of them at first, as whoever
// enters has for a moment.
func (p *presence) share() (others bool) {
	const tries = 50
	for range tries {
		if unix.Flock(int(p.f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return others
		}
		others = true
		time.Sleep(time.Millisecond)
	}
	return others
}

// leave gives the share back.
func (p *presence) leave() {
	if p.f != nil {
		p.f.Close()
		p.f = nil
	}
}
