package egress

import (
	"errors"
	"net"
	"syscall"
)

// reason is why a host was not reached, as a command may know it: errors of package net
// have the addresses of this machine and of its name servers.
func reason(err error) string {
	var name *net.DNSError
	if errors.As(err, &name) {
		switch {
		case name.IsNotFound:
			return "no address is known for it"
		case name.IsTimeout:
			return "looking up its address took too long"
		}
		return "its address could not be looked up"
	}
	var op *net.OpError
	if !errors.As(err, &op) {
		return err.Error()
	}
	var errno syscall.Errno
	if errors.As(op.Err, &errno) {
		return errno.Error()
	}
	return op.Err.Error()
}
