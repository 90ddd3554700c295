package scripttools

import (
	"math"
	"regexp"
	"strconv"
)

const tooLarge = "the header is nested too deeply or holds too many values"

func boolText(v bool) string { return strconv.FormatBool(v) }

// checkNumber refuses a number that no double holds: 1e400 means infinity to
// a script and endless digits to a schema.
func (t *tree) checkNumber(n *node) {
	if v, err := strconv.ParseFloat(n.text, 64); err != nil || math.IsInf(v, 0) {
		t.flaw(n.at, "quote it if it is meant as text", "the number is out of range")
	}
}

// floatText is a finite float as JSON writes it.
func floatText(v float64) (string, bool) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "", false
	}
	return strconv.FormatFloat(v, 'g', -1, 64), true
}

var (
	decimal     = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]+(\.[0-9_]*)?$`)
)
