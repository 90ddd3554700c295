package egress

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// The ports of an entry without one, for tunnels and for plain requests.
const (
	tunnelPort = 443
	plainPort  = 80
)

const presetPrefix = "preset:"

// List is the hosts that may be reached. It is immutable; the zero List is empty.
type List struct {
	entries []dialguard.Pattern
	presets []string
}

// ParseList reads entries: names, addresses, *.name for all subdomains, each with :port
// or without, and preset:NAME. Without a port, an entry means 443 for tunnels and 80 for
// plain requests.
func ParseList(texts []string) (l List, err error) {
	for _, text := range texts {
		if name, ok := strings.CutPrefix(text, presetPrefix); ok {
			l.presets = append(l.presets, name)
			continue
		}
		e, err := dialguard.ParsePattern(text)
		if err != nil {
			return List{}, fmt.Errorf("%w; or give a preset such as preset:go", err)
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// Presets are the names after preset:, in their order.
func (l List) Presets() []string { return slices.Clone(l.presets) }

// And joins two lists.
func (l List) And(other List) List {
	return List{entries: slices.Concat(l.entries, other.entries), presets: slices.Concat(l.presets, other.presets)}
}

// Covers reports whether l has everything that other has.
func (l List) Covers(other List) bool {
	lacksPreset := func(preset string) bool { return !slices.Contains(l.presets, preset) }
	lacks := func(o dialguard.Pattern) bool {
		return !slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool { return covers(e, o) })
	}
	return !slices.ContainsFunc(other.presets, lacksPreset) && !slices.ContainsFunc(other.entries, lacks)
}

// covers reports whether e names all that o names.
func covers(e, o dialguard.Pattern) bool {
	return e.Port == o.Port && (e == o || (e.Below || !o.Below) && e.Names(o.Name))
}

// allows reports whether a host may be reached at a port; usual is the port of entries
// without one.
func (l List) allows(host string, port, usual int) bool {
	return slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool {
		return cmp.Or(e.Port, usual) == port && e.Names(host)
	})
}

// has reports whether an entry names a host, at any port.
func (l List) has(host string) bool {
	return slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool { return e.Names(host) })
}
