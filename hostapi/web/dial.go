package web

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// guardedDialer connects to public addresses, and to private ones that were
// named. It looks at the address that is connected to, after every name has
// been resolved: what a name resolved to before does not matter.
type guardedDialer struct {
	private  private
	resolver *net.Resolver                // nil is the system's
	own      func() ([]netip.Addr, error) // the addresses of this machine
}

// private are exceptions.
type private struct {
	hosts    []string // as in URLs, perhaps with a port
	networks []netip.Prefix
}

func parsePrivate(texts []string) (p private, err error) {
	for _, text := range texts {
		if network, err := netip.ParsePrefix(text); err == nil {
			p.networks = append(p.networks, network)
			continue
		}
		if err := checkHostPattern(text); err != nil || strings.Contains(text, "*") {
			return p, fmt.Errorf("private host %q: expected a name or an address, perhaps with :port, or a network such as 10.1.0.0/16", text)
		}
		p.hosts = append(p.hosts, text)
	}
	return p, nil
}

func (p private) names(host, port string) bool {
	for _, named := range p.hosts {
		name, namedPort := cutPort(named)
		if name == host && (namedPort == "" || namedPort == port) {
			return true
		}
	}
	return false
}

func (d *guardedDialer) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 10 * time.Second, Resolver: d.resolver}
	if !d.private.names(strings.ToLower(host), port) {
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

// check decides about an address that a host has, which is named with its port. A network that the operator
// named as private holds the addresses that lie in it, and no other that carries one of these.
func (d *guardedDialer) check(hostport string, address netip.Addr) error {
	address = address.Unmap()
	if within(d.private.networks, address.WithZone("")) {
		return nil
	}
	if !public(address) {
		return refuse("%s is %s, which is not an address of the public internet; %s", hostport, address, allowing(hostport))
	}
	own, err := d.own()
	if err != nil {
		return refuse("whether %s is an address of this machine cannot be told: %v; %s", address, err, allowing(hostport))
	}
	for _, a := range own {
		if a == address {
			return refuse("%s is %s, which is this machine; %s", hostport, address, allowing(hostport))
		}
	}
	return nil
}

// allowing is what the operator can write in the settings to allow a host.
func allowing(hostport string) string {
	return fmt.Sprintf("the operator can allow it: [fetch] private = [%q]", hostport)
}

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
