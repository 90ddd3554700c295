package shell

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// Machines of clouds ask for what they are let in with at addresses that all of them have.
// Nobody is advised to open one: whoever writes the line could have it opened by whoever
// follows it.

// ofTheCloud is what is said of a host where a cloud keeps credentials; empty for another.
// The host may have a port.
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

// spellings are an address, and those of IPv4 that it may carry: at its end, as those of
// translators do, or behind 2002: (6to4).
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

// leadsToCloud is [ofTheCloud] of what is said of a name: one that leads to such an
// address is said with it.
func leadsToCloud(why string) string {
	for _, word := range strings.FieldsFunc(why, func(c rune) bool { return strings.ContainsRune(" (),;", c) }) {
		if _, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil && ofTheCloud(word) != "" {
			return ofTheCloud(word)
		}
	}
	return ""
}

// withoutClouds are refusals of which none advises to open such an address.
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
			r.What += " (not of it what a cloud keeps credentials at)"
		} else {
			r.What, r.Allow, r.adds = r.What+said, "", addition{}
		}
		all[i] = r
	}
	return all
}
