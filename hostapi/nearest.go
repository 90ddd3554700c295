package hostapi

import (
	"fmt"
	"strings"
)

// UnknownNameError is a name that the host does not offer.
type UnknownNameError struct {
	Name    string
	Nearest string   // the most similar offered name; empty if none is near
	Offered []string // all that is offered, sorted
}

// Error names the nearest name, or else all that are offered.
func (e *UnknownNameError) Error() string {
	switch {
	case e.Nearest != "":
		return fmt.Sprintf("the host offers no tool %q; did you mean %q?", e.Name, e.Nearest)
	case len(e.Offered) == 0:
		return fmt.Sprintf("the host offers no tool %q: it offers none at all", e.Name)
	}
	return fmt.Sprintf("the host offers no tool %q; it offers %s", e.Name, strings.Join(e.Offered, ", "))
}

// Nearest returns the name most similar to want, by edit distance without
// regard to case; empty where none is within a third of want's length.
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

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
