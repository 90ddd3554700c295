package egress

import (
	"errors"
	"net"
	"syscall"
)

// reason is why a host was not reached, for those inside: without the addresses of
// this machine and of the name servers that it asks, which package net tells of.
func reason(err error) string {
	var name *net.DNSError
	if errors.As(err, &name) {
		switch {
		case name.IsNotFound:
			return "no address is known for it"
		case name.IsTimeout:
			return "its address was not found out in time"
		}
		return "its address could not be found out"
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
