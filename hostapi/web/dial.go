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
	resolver *net.Resolver // nil is the system's
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
		if strings.ContainsAny(text, "*/ @") || text == "" {
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

func (p private) holds(address netip.Addr) bool {
	for _, network := range p.networks {
		if network.Contains(address) {
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
			if address := to.Addr().Unmap().WithZone(""); !public(address) && !d.private.holds(address) {
				return refuse("%s is %s, which is not an address of the public internet; the operator can name it as private", host, address)
			}
			return nil
		}
	}
	return dialer.DialContext(ctx, network, hostport)
}

// special are networks that are not the public internet's: IANA's special
// purpose registries, and those that embed other addresses.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("fec0::/10"),
}

// public reports whether an address is one of the public internet.
func public(address netip.Addr) bool {
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, network := range special {
		if network.Contains(address) {
			return false
		}
	}
	return true
}
