package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A socket stays in the network in which it was made, whoever has it: the holder
// opens the listener and gives it to the host, and what the host connects to
// elsewhere is in the host's own network.

// waiting is how many may wait to be accepted.
const waiting = 256

// listenWithin opens a listener on every address of the calling process's
// network, of IPv4, on a port that the kernel chooses.
func listenWithin() ([]int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err = unix.Bind(fd, &unix.SockaddrInet4{}); err == nil {
		err = unix.Listen(fd, waiting)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return []int{fd}, nil
}

// takeListener is the listener that came with a holder's first answer.
func takeListener(fds []int, err error) (net.Listener, error) {
	defer closeAll(fds[1:])
	file := os.NewFile(uintptr(fds[0]), "listener")
	defer func() { _ = file.Close() }() // the listener has its own
	if err != nil {
		return nil, err
	}
	listener, err := net.FileListener(file)
	if err == nil && len(fds) > 1 {
		_ = listener.Close()
		err = errors.New("more than a listener came")
	}
	if err != nil {
		return nil, err
	}
	return listener, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
