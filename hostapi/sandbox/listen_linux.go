package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A socket stays in the network in which it was made, whoever has it. So the holder
// opens the listener and gives it to the host, whose own connections are in the
// host's network.

// waiting is how many connections of all commands may wait to be accepted. A client
// over it tries again after a second; the kernel's own bound is 4,096.
const waiting = 4096

// listenWithin opens a listener on every IPv4 address of the calling process's network,
// on a port that the kernel chooses.
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

// namesWithin opens the socket for name queries at the address of [resolverText].
func namesWithin() (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, fmt.Errorf("socket: %w", err)
	}
	if err = unix.Bind(fd, &unix.SockaddrInet4{Port: 53, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// enterNetwork sets up the holder's network for the policy. If the host only wants to
// refuse connections and cannot, commands get no sockets.
func (r *room) enterNetwork() (err error) {
	p := &r.policy
	if p.Refuser = p.Refuser && r.spaces.Net; !r.spaces.Net {
		return nil
	}
	alone := p.Network == "" || p.Network == NetworkNone
	if p.answered() || p.Network == NetworkLoopback {
		if err = loopbackUp(); err != nil {
			err = fmt.Errorf("the loopback interface: %w", err)
		}
	}
	if err == nil && p.answered() {
		if r.within, err = listenWithin(); err != nil {
			err = fmt.Errorf("a listener: %w", err)
		}
	}
	switch {
	case err != nil && alone:
		p.Refuser = false
		return nil
	case err != nil:
		return &lessError{err}
	case len(r.within) == 0:
		return nil
	}
	if names, err := namesWithin(); err == nil { // otherwise no name is resolved
		r.within, r.names = append(r.within, names), true
	}
	return nil
}

// takeWithin makes the host's listener, and perhaps its socket for name queries, of the
// descriptors that came with a holder's first answer.
func takeWithin(fds []int, err error) (listener net.Listener, names net.PacketConn, _ error) {
	files := make([]*os.File, len(fds))
	for i, fd := range fds {
		files[i] = os.NewFile(uintptr(fd), "socket")
		defer func() { _ = files[i].Close() }() // the listener has a copy
	}
	if err == nil && len(files) > 2 {
		err = errors.New("more than a listener and a socket for names came")
	}
	if err != nil {
		return nil, nil, err
	}
	if listener, err = net.FileListener(files[0]); err != nil || len(files) == 1 {
		return listener, nil, err
	}
	if names, err = net.FilePacketConn(files[1]); err != nil {
		_ = listener.Close()
		return nil, nil, err
	}
	return listener, names, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
