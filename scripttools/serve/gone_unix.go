//go:build unix

package serve

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// gone is closed when nobody holds the other end of a stream any more, as far as the
// system knows without a read or a write. It polls until stop is closed.
func gone(stop <-chan struct{}, stream any) <-chan struct{} {
	found := make(chan struct{})
	file, ok := stream.(syscall.Conn)
	if !ok {
		return found
	}
	end, err := file.SyscallConn()
	if err != nil {
		return found
	}
	go func() {
		ticker := time.NewTicker(lookout)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			if hungUp(end) {
				close(found)
				return
			}
		}
	}()
	return found
}

func hungUp(end syscall.RawConn) (yes bool) {
	err := end.Control(func(fd uintptr) {
		look := []unix.PollFd{{Fd: int32(fd)}} // errors and hang-ups are always reported
		n, err := unix.Poll(look, 0)
		yes = err == nil && n > 0 && look[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
	})
	return yes && err == nil
}
