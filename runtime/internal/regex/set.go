package regex

import "slices"

const maxRune = 0x10ffff

// set is a set of code points: pairs of first and last, in order, with gaps between them. A
// set is never changed once it is made.
type set []rune

func (s set) has(c rune) bool {
	lo, hi := 0, len(s)/2
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case c < s[2*mid]:
			hi = mid
		case c > s[2*mid+1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

// normalize makes a set of pairs in any order.
func normalize(pairs []rune) set {
	sorted := true
	for i := 2; i < len(pairs); i += 2 {
		if pairs[i] <= pairs[i-1]+1 {
			sorted = false
			break
		}
	}
	if sorted {
		return pairs
	}
	ranges := make([][2]rune, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		ranges = append(ranges, [2]rune{pairs[i], pairs[i+1]})
	}
	slices.SortFunc(ranges, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	out := make(set, 0, len(pairs))
	for _, r := range ranges {
		if n := len(out); n > 0 && r[0] <= out[n-1]+1 {
			out[n-1] = max(out[n-1], r[1])
			continue
		}
		out = append(out, r[0], r[1])
	}
	return out
}

func union(a, b set) set {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return normalize(slices.Concat(a, b))
}

func (s set) invert() set {
	out := make(set, 0, len(s)+2)
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= maxRune {
		out = append(out, next, maxRune)
	}
	return out
}

func intersect(a, b set) set {
	var out set
	for i, j := 0, 0; i < len(a) && j < len(b); {
		lo, hi := max(a[i], b[j]), min(a[i+1], b[j+1])
		if lo <= hi {
			out = append(out, lo, hi)
		}
		if a[i+1] < b[j+1] {
			i += 2
		} else {
			j += 2
		}
	}
	return out
}

func subtract(a, b set) set { return intersect(a, b.invert()) }

// disjoint reports whether two sets have nothing in common.
func disjoint(a, b set) bool { return len(intersect(a, b)) == 0 }

// single returns the only member, if there is one.
func (s set) single() (rune, bool) {
	if len(s) == 2 && s[0] == s[1] {
		return s[0], true
	}
	return 0, false
}

// The sets of the standard's escapes.
var (
	anything   = set{0, maxRune}
	digits     = set{'0', '9'}
	wordChars  = set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	lineEnds   = set{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
	spaces     = set{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}
	surrogates = set{0xd800, 0xdfff}
)
