package dialguard

import (
	"net/netip"
	"slices"
)

// special4 are the networks of IPv4 that are not hosts of the public internet:
// IANA's special-purpose registry (RFC 6890 and what was added to it),
// multicast, and one address that a cloud gives to its own services.
var special4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // what Azure's machines ask about themselves, as 169.254.169.254
)

// IANA gives out public addresses of IPv6 from one network only. What lies
// outside it is refused: loopback, site-local, unique local, multicast, discard,
// and the forms that carry an address of IPv4 before them.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 are networks within that one which are not the public internet's:
// protocols, among them Teredo and ORCHID, documentation, 6to4, and the sinks of AS112.
var special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")

// nat64 is the well-known prefix of RFC 6052: what a machine without IPv4 has
// in place of each address of IPv4, so that these are as public as those.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// public reports whether an address, and an address embedded in it, is one of the public
// internet.
func public(address netip.Addr) bool {
	switch address = address.Unmap(); {
	case !address.IsValid() || address.Zone() != "":
		return false
	case address.Is4():
		return !within(special4, address)
	case nat64.Contains(address):
		return public(embedded(address))
	case !global6.Contains(address) || within(special6, address):
		return false
	case isatap(address):
		return public(embedded(address))
	}
	return true
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// isatap reports whether the second half of an address is one that RFC 5214
// makes of an address of IPv4.
func isatap(address netip.Addr) bool {
	b := address.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// embedded is the address of IPv4 in the last bytes of one of IPv6.
func embedded(address netip.Addr) netip.Addr {
	b := address.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}
