package egress

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/dialguard"
)

// The ports of an entry that names none: of tunnels, and of plain requests.
const (
	tunnelPort = 443
	plainPort  = 80
)

const presetPrefix = "preset:"

// List is hosts that may be reached. It is immutable; the zero List has none.
type List struct {
	entries []entry
	presets []string
}

// entry is one host, or all below one.
type entry struct {
	name  string // as dialguard has it
	below bool   // *.name
	port  int    // 0 for the usual ones
}

// ParseList reads entries: a name or an address, *.name for all below one,
// either with :port, and preset:NAME for what somebody else knows. Without a
// port an entry is about 443 for tunnels and 80 for plain requests.
func ParseList(texts []string) (l List, err error) {
	for _, text := range texts {
		if name, ok := strings.CutPrefix(text, presetPrefix); ok {
			l.presets = append(l.presets, name)
			continue
		}
		e, err := parseEntry(text)
		if err != nil {
			return List{}, err
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

func parseEntry(text string) (e entry, err error) {
	name := text
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		return entry{}, fmt.Errorf("host %q: expected a name such as api.example.com; leave out %s:// and what follows the name", text, scheme)
	}
	if host, port, err := net.SplitHostPort(text); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return entry{}, fmt.Errorf("host %q: the port %q is not one of 1 to 65535", text, port)
		}
		name, e.port = host, int(n)
	} else if strings.HasPrefix(name, "[") {
		name = strings.TrimSuffix(name[1:], "]")
	}
	name, e.below = strings.CutPrefix(name, "*.")
	e.name, err = dialguard.HostName(name)
	if _, address := netip.ParseAddr(e.name); err == nil && e.below && address == nil {
		err = fmt.Errorf("nothing is below an address")
	}
	if err != nil {
		return entry{}, fmt.Errorf("host %q: expected a name such as api.example.com, *.example.com or example.com:8443, or a preset such as preset:go: %w", text, err)
	}
	return e, nil
}

// Presets are the names after preset:, in their order.
func (l List) Presets() []string { return slices.Clone(l.presets) }

// And is both lists in one.
func (l List) And(other List) List {
	return List{entries: slices.Concat(l.entries, other.entries), presets: slices.Concat(l.presets, other.presets)}
}

// Covers reports whether everything that other lists is in l as well.
func (l List) Covers(other List) bool {
	for _, preset := range other.presets {
		if !slices.Contains(l.presets, preset) {
			return false
		}
	}
	for _, o := range other.entries {
		if !slices.ContainsFunc(l.entries, func(e entry) bool { return e.covers(o) }) {
			return false
		}
	}
	return true
}

func (e entry) covers(o entry) bool {
	switch {
	case e.port != o.port:
		return false
	case e.below:
		return o.below && o.name == e.name || strings.HasSuffix(o.name, "."+e.name)
	}
	return !o.below && e.name == o.name
}

// allows reports whether a host, as dialguard names it, may be reached at a
// port, of which usual is the one that entries without a port are about.
func (l List) allows(host string, port, usual int) bool {
	return slices.ContainsFunc(l.entries, func(e entry) bool {
		want := e.port
		if want == 0 {
			want = usual
		}
		if want != port {
			return false
		}
		if e.below {
			return strings.HasSuffix(host, "."+e.name)
		}
		return host == e.name
	})
}
