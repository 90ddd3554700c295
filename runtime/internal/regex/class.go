package regex

import "slices"

// members is what a class matches: single code points, and with v strings of other lengths.
type members struct {
	set     set
	strings [][]rune
}

// resolve makes the sets of a class. With v, classes are closed when case is ignored before
// they are combined; otherwise the whole is, before it is negated.
func (c *class) resolve(f Flags) members {
	var m members
	var pairs []rune // of a union
	for i, it := range c.items {
		one := it.resolve(f)
		switch {
		case c.op == unionOf && len(c.items) > 1:
			pairs = append(pairs, one.set...)
			m.strings = append(m.strings[:len(m.strings):len(m.strings)], one.strings...)
		case i == 0:
			m = one
		case c.op == intersectionOf:
			m = members{set: intersect(m.set, one.set), strings: intersectStrings(m.strings, one.strings, f, true)}
		default:
			m = members{set: subtract(m.set, one.set), strings: intersectStrings(m.strings, one.strings, f, false)}
		}
	}
	if pairs != nil {
		m.set = normalize(pairs)
	}
	if f&IgnoreCase != 0 && f&UnicodeSets == 0 {
		m.set = closeCase(m.set, f)
	}
	if c.negative {
		m.set = m.set.invert()
	}
	if len(m.strings) > 0 {
		m.strings = longestFirst(m.strings, f)
	}
	return m
}

func (it *item) resolve(f Flags) members {
	var m members
	switch it.kind {
	case itemRange:
		m.set = set{it.lo, it.hi}
	case itemSet:
		m.set = it.set
	case itemWord:
		m.set = wordSet(f)
	case itemProperty:
		m.set = it.property.set()
		m.strings = it.property.strings
	case itemClass:
		return it.nested.resolve(f)
	case itemStrings:
		var single []rune
		for _, s := range it.strings {
			if len(s) == 1 {
				single = append(single, s[0], s[0])
			} else {
				m.strings = append(m.strings, s)
			}
		}
		m.set = normalize(single)
	}
	if f&IgnoreCase != 0 && f&UnicodeSets != 0 {
		m.set = closeCase(m.set, f)
	}
	if it.negative && it.kind != itemRange {
		m.set = m.set.invert()
	}
	return m
}

// wordSet is \w. With u or v, ignoring case adds what folds to a letter of it.
func wordSet(f Flags) set {
	if f&IgnoreCase != 0 && f.CodePoints() {
		return wordCharsFolded
	}
	return wordChars
}

var wordCharsFolded = set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z', 0x17f, 0x17f, 0x212a, 0x212a}

// closeCase adds what is the same as a member when case is ignored.
func closeCase(s set, f Flags) set {
	if len(s) > 0 && s[len(s)-1] < 0x80 && !f.CodePoints() {
		return closeASCII(s)
	}
	return casingOf(f).close(s)
}

// closeASCII does so for a set of ASCII, without tables: outside of u and v nothing else is
// the same as a letter of ASCII.
func closeASCII(s set) set {
	var more []rune
	for i := 0; i < len(s); i += 2 {
		for _, shift := range []rune{'a', 'A'} {
			lo, hi := max(s[i], shift), min(s[i+1], shift+25)
			if lo <= hi {
				more = append(more, lo^0x20, hi^0x20)
			}
		}
	}
	if more == nil {
		return s
	}
	return normalize(slices.Concat(s, more))
}

func foldKey(s []rune, f Flags) string {
	if f&IgnoreCase == 0 {
		return string(s)
	}
	out := make([]rune, len(s))
	for i, c := range s {
		out[i] = folding().canonical(c)
	}
	return string(out)
}

// intersectStrings keeps the strings of a that are in b, or are not.
func intersectStrings(a, b [][]rune, f Flags, in bool) [][]rune {
	known := map[string]bool{}
	for _, s := range b {
		known[foldKey(s, f)] = true
	}
	var out [][]rune
	for _, s := range a {
		if known[foldKey(s, f)] == in {
			out = append(out, s)
		}
	}
	return out
}

// longestFirst is the order in which they are tried.
func longestFirst(all [][]rune, f Flags) [][]rune {
	known := map[string]bool{}
	var out [][]rune
	for _, s := range all {
		if key := foldKey(s, f); !known[key] {
			known[key] = true
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b []rune) int { return len(b) - len(a) })
	return out
}
