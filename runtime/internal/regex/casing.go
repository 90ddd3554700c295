package regex

import (
	"slices"
	"sync"
)

// casing says which code points are the same when case is ignored: with u and v by simple
// case folding, otherwise by toUpperCase, where it gives one code unit and none of ASCII for
// one that is not.
type casing struct {
	to    map[rune]rune
	from  map[rune][]rune // what maps to one, itself included; only if there are several
	cased []rune          // all that are the same as another, in order
}

var (
	folding   = sync.OnceValue(func() *casing { return newCasing(readCases("fold=simple"), maxRune) })
	upperCase = sync.OnceValue(func() *casing { return newCasing(readCases("upper=single"), 0xffff) })
)

func casingOf(f Flags) *casing {
	if f.CodePoints() {
		return folding()
	}
	return upperCase()
}

func newCasing(to map[rune]rune, last rune) *casing {
	c := &casing{to: to, from: make(map[rune][]rune, len(to))}
	for from, target := range to {
		if from > last {
			delete(to, from)
			continue
		}
		if c.from[target] == nil {
			c.from[target] = []rune{target}
		}
		c.from[target] = append(c.from[target], from)
	}
	for _, all := range c.from {
		slices.Sort(all)
		c.cased = append(c.cased, all...)
	}
	slices.Sort(c.cased)
	return c
}

// canonical is the standard's Canonicalize.
func (c *casing) canonical(r rune) rune {
	if to, ok := c.to[r]; ok {
		return to
	}
	return r
}

// same returns all that are the same as a code point, and nil if there is no other.
func (c *casing) same(r rune) []rune { return c.from[c.canonical(r)] }

// sameASCII is whether r is a letter of ASCII: asking for it needs no tables.
func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 }

// close adds all that are the same as a member.
func (c *casing) close(s set) set {
	var more []rune
	for i := 0; i < len(s); i += 2 {
		at, _ := slices.BinarySearch(c.cased, s[i])
		for ; at < len(c.cased) && c.cased[at] <= s[i+1]; at++ {
			for _, other := range c.same(c.cased[at]) {
				if other < s[i] || other > s[i+1] {
					more = append(more, other, other)
				}
			}
		}
	}
	if more == nil {
		return s
	}
	return normalize(slices.Concat(s, more))
}
