package dialguard

import (
	"net/netip"
	"strings"
)

// HostName normalizes a host: an address in its usual spelling, or a name in lower case
// without a dot at its end. What some programs read as another host is refused: digits
// and dots of other scripts, unusual spellings of addresses, zones.
func HostName(text string) (string, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		if address.Zone() != "" {
			return "", refuse("the host has a zone, which means something on this machine only; leave out what follows %%")
		}
		return address.String(), nil
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r > 0x7e }); i >= 0 {
		return "", refuse("the host %q is not ASCII; write it as the name system has it, such as xn--bcher-kva.example", text)
	}
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || len(name) > 253 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", refuse("%q names no host; a name is letters, digits and -, in parts with dots between", text)
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", refuse("%q spells an address in numbers in a way that can be read in two; write it as 192.0.2.1", text)
	}
	return name, nil
}
