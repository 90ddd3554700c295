// Package spelling finds the name that a misspelt one was meant to be.
package spelling

import (
	"slices"
	"strings"
)

// Names can be anybody's, and comparing two takes the product of their lengths.
const (
	longest = 64   // bytes; a longer name is nothing that somebody misspelt
	most    = 1000 // names that are compared letter by letter
)

// Nearest returns the name most similar to want, by edit distance (a swap
// of two letters is one edit) without regard to case; empty where none is within a third of want's length.
// The one name that want is short for, such as command for cmd, comes before all others.
// Its work is bounded: names of more than 64 bytes are near to none, and no more than 1,000 names
// of about want's length are compared with it.
func Nearest(want string, names []string) string {
	if len(want) > longest {
		return ""
	}
	long := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !shortens(want, name) })
	if len(long) == 1 {
		return long[0]
	}
	best, bestDistance := "", max(1, len(want)/3)+1
	compared := 0
	for _, name := range names {
		if len(name) > longest || max(len(want)-len(name), len(name)-len(want)) >= bestDistance {
			continue // that many letters are missing at least
		}
		if compared++; compared > most {
			break
		}
		if d := distance(strings.ToLower(want), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// shortens reports whether short has some letters of name, at least three and at most half, in
// their order, with the first and the last.
func shortens(short, name string) bool {
	if len(short) < 3 || len(name) > longest || 2*len(short) > len(name) || short[0] != name[0] || short[len(short)-1] != name[len(name)-1] {
		return false
	}
	for i := range len(short) {
		at := strings.IndexByte(name, short[i])
		if at < 0 {
			return false
		}
		name = name[at+1:]
	}
	return true
}

// distance is how many bytes are added, taken away, changed, or swapped with the next
// one, to make b of a.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			next[j+1] = min(cost, next[j]+1, row[j+1]+1)
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
