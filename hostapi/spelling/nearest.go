// Package spelling finds the name that a misspelt one was meant to be.
package spelling

import "strings"

// Nearest returns the name most similar to want, by edit distance (a swap
// of two letters is one edit) without regard to case; empty where none is within a third of want's length.
func Nearest(want string, names []string) string {
	best, bestDistance := "", max(1, len(want)/3)+1
	for _, name := range names {
		if max(len(want)-len(name), len(name)-len(want)) >= bestDistance {
			continue // that many letters are missing at least
		}
		if d := distance(strings.ToLower(want), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
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
