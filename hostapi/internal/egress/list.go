package egress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/internal/dialguard"
)

// The ports of an entry that names none: of tunnels, and of plain requests.
const (
	tunnelPort = 443
	plainPort  = 80
)

const presetPrefix = "preset:"

// List is hosts that may be reached. It is immutable; the zero List has none.
type List struct {
	entries []dialguard.Pattern
	presets []string
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
		if !slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool { return covers(e, o) }) {
			return false
		}
	}
	return true
}

// covers reports whether all that o names is named by e as well.
func covers(e, o dialguard.Pattern) bool {
	return e.Port == o.Port && (e == o || (e.Below || !o.Below) && e.Names(o.Name))
}

// allows reports whether a host, as dialguard names it, may be reached at a
// port, of which usual is the one that entries without a port are about.
func (l List) allows(host string, port, usual int) bool {
	return slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool {
		want := e.Port
		if want == 0 {
			want = usual
		}
		return want == port && e.Names(host)
	})
}

// has reports whether some entry names a host, at whatever port.
func (l List) has(host string) bool {
	return slices.ContainsFunc(l.entries, func(e dialguard.Pattern) bool { return e.Names(host) })
}
