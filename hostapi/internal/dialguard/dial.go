package dialguard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Dialer connects to public addresses, and to the private ones it is told of. It checks
// the address that it connects to, after the name was resolved. The zero Dialer
// connects to public addresses only. It is safe for concurrent use; its fields must not
// change after the first call.
type Dialer struct {
	// Private are the exceptions.
	Private Private
	// Setting is the settings' key for exceptions, such as "[fetch] private", for
	// messages.
	Setting string
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver

	own func() ([]netip.Addr, error) // the addresses of this machine; nil asks it
}

// Private are hosts and networks whose addresses need not be public.
type Private struct {
	hosts    []Pattern
	networks []netip.Prefix
}

// ParsePrivate reads names and addresses, with :port or without, and networks such as
// 10.1.0.0/16.
func ParsePrivate(texts []string) (p Private, err error) {
	for _, text := range texts {
		if network, err := netip.ParsePrefix(text); err == nil {
			p.networks = append(p.networks, network)
			continue
		}
		host, err := ParsePattern(text)
		if err != nil || host.Below {
			return p, fmt.Errorf("private host %q: expected a name or an address, perhaps with :port, or a network such as 10.1.0.0/16", text)
		}
		p.hosts = append(p.hosts, host)
	}
	return p, nil
}

func (p Private) names(host, port string) bool {
	return slices.ContainsFunc(p.hosts, func(named Pattern) bool {
		return named.Names(host) && (named.Port == 0 || strconv.Itoa(named.Port) == port)
	})
}

// DialContext connects to host:port. The error is a *[RefusedError] if the address is not
// allowed, and otherwise that of the network.
func (d *Dialer) DialContext(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 10 * time.Second, Resolver: d.Resolver}
	if !d.Private.names(strings.ToLower(host), port) {
		dialer.Control = func(_, resolved string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return err
			}
			return d.check(hostport, to.Addr())
		}
	}
	return dialer.DialContext(ctx, network, hostport)
}

// check decides on an address of a host. A network that the operator named as private
// allows the addresses in it, but not others that embed one of them.
func (d *Dialer) check(hostport string, address netip.Addr) error {
	address = address.Unmap()
	if within(d.Private.networks, address.WithZone("")) {
		return nil
	}
	if !public(address) {
		return refuse("%s is %s, which is not an address of the public internet; %s", hostport, address, d.allowing(hostport))
	}
	own, err := d.ownAddresses()
	if err != nil {
		return refuse("whether %s is an address of this machine cannot be told: %v; %s", address, err, d.allowing(hostport))
	}
	if slices.Contains(own, address) {
		return refuse("%s is %s, which is this machine; %s", hostport, address, d.allowing(hostport))
	}
	return nil
}

// allowing says how the operator can allow a host.
func (d *Dialer) allowing(hostport string) string {
	return fmt.Sprintf("the operator can allow it with %q added to %s", hostport, d.Setting)
}

func (d *Dialer) ownAddresses() ([]netip.Addr, error) {
	if d.own != nil {
		return d.own()
	}
	return interfaceAddresses()
}

// RefusedError is a host or an address that may not be connected to. Its text is a
// sentence.
type RefusedError struct{ text string }

// Error implements error.
func (e *RefusedError) Error() string { return e.text }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// interfaceAddresses are the addresses of this machine.
func interfaceAddresses() ([]netip.Addr, error) {
	found, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range found {
		if network, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, network.Addr().Unmap().WithZone(""))
		}
	}
	return out, nil
}
