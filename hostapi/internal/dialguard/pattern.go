package dialguard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Pattern is an entry of a list of hosts.
type Pattern struct {
	// Name is a host as [HostName] has it.
	Name string
	// Below is set for *.name: all subdomains, but not the host itself.
	Below bool
	// Port is 0 if none is given.
	Port int
}

// ParsePattern reads a name, an address, or *.name for all subdomains, with :port or
// without.
func ParsePattern(text string) (p Pattern, err error) {
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		return Pattern{}, fmt.Errorf("host %q: expected a name such as api.example.com; leave out %s:// and what follows the name", text, scheme)
	}
	name := text
	if host, port, err := net.SplitHostPort(text); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Pattern{}, fmt.Errorf("host %q: the port %q is not a number from 1 to 65535", text, port)
		}
		name, p.Port = host, int(n)
	} else if strings.HasPrefix(name, "[") {
		name = strings.TrimSuffix(name[1:], "]")
	}
	name, p.Below = strings.CutPrefix(name, "*.")
	p.Name, err = HostName(name)
	if _, address := netip.ParseAddr(p.Name); err == nil && p.Below && address == nil {
		err = errors.New("an address has no subdomains")
	}
	if err != nil {
		return Pattern{}, fmt.Errorf("host %q: expected a name such as api.example.com, *.example.com or example.com:8443: %w", text, err)
	}
	return p, nil
}

// Names reports whether it names a host, whatever the port. The host is as
// [HostName] has it.
func (p Pattern) Names(host string) bool {
	if p.Below {
		return strings.HasSuffix(host, "."+p.Name)
	}
	return host == p.Name
}
