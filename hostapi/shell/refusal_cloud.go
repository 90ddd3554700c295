package shell

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// Machines in a cloud get their credentials from well-known addresses. The advice never
// names one: the author of a line could otherwise have a person open it.

// ofTheCloud is what to say of a host, with or without a port, where a cloud keeps
// credentials; empty for any other host.
func ofTheCloud(host string) string {
	if at := strings.LastIndexByte(host, ':'); at >= 0 && (strings.IndexByte(host, ':') == at || strings.HasSuffix(host[:at], "]")) {
		host = host[:at]
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	first, _, _ := strings.Cut(host, ".")
	of := first == "metadata" || first == "instance-data"
	if address, err := netip.ParseAddr(host); err == nil {
		of = slices.ContainsFunc(spellings(address), isCloud)
	}
	if of {
		return ", which no setting is named for: a cloud keeps credentials at such an address"
	}
	return ""
}

func isCloud(address netip.Addr) bool {
	return address.IsLinkLocalUnicast() || slices.ContainsFunc([]string{
		"168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::/32",
	}, func(network string) bool { return netip.MustParsePrefix(network).Contains(address) })
}

// spellings are an address and the IPv4 addresses that it may embed: in its last bytes, as
// NAT64 does, or after 2002: (6to4).
func spellings(address netip.Addr) []netip.Addr {
	address = address.Unmap().WithZone("")
	if address.Is4() {
		return []netip.Addr{address}
	}
	b := address.As16()
	all := []netip.Addr{address, netip.AddrFrom4([4]byte(b[12:]))}
	if b[0] == 0x20 && b[1] == 0x02 {
		all = append(all, netip.AddrFrom4([4]byte(b[2:])))
	}
	return all
}

// leadsToCloud is [ofTheCloud] for the reason why a name was refused, which holds the
// addresses that it resolves to.
func leadsToCloud(why string) string {
	for _, word := range strings.FieldsFunc(why, func(c rune) bool { return strings.ContainsRune(" (),;", c) }) {
		if _, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil && ofTheCloud(word) != "" {
			return ofTheCloud(word)
		}
	}
	return ""
}

// withoutClouds removes such addresses from the advice.
func withoutClouds(all []Refusal) []Refusal {
	for i, r := range all {
		if key := r.adds.key; key != keyNetwork && key != "private" {
			continue
		}
		said := ""
		r.adds.entries = slices.DeleteFunc(slices.Clone(r.adds.entries), func(entry string) bool {
			why := cmp.Or(ofTheCloud(entry), r.cloud)
			said = cmp.Or(said, why)
			return why != ""
		})
		if said == "" {
			continue
		}
		if len(r.adds.entries) > 0 { // others remain
			r.What += " (the addresses where a cloud keeps credentials stay closed)"
		} else {
			r.What, r.Allow, r.adds = r.What+said, "", addition{}
		}
		all[i] = r
	}
	return all
}
