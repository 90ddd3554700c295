package shell

import (
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
	known := []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"}
	address, err := netip.ParseAddr(host)
	if err == nil {
		host = address.Unmap().String()
	}
	if slices.Contains(known, host) || err == nil && address.Unmap().IsLinkLocalUnicast() {
		return ", which no setting is named for: a cloud keeps credentials at such an address"
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
			if why := ofTheCloud(entry); why != "" {
				said = why
				return true
			}
			return false
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
