package scripttools

import (
	"slices"
	"strings"
)

// longestBound is how long a number or a pattern of a schema may be to stand in a line of help.
const longestBound = 60

// bounds say what holds of a value beside its type, a phrase each.
func (a together) bounds() (phrases []string) {
	phrases = slices.Concat(
		span(a.number("minimum"), a.number("maximum"), "", ""),
		phrase("more than ", a.number("exclusiveMinimum"), ""), phrase("less than ", a.number("exclusiveMaximum"), ""), phrase("a multiple of ", a.number("multipleOf"), ""),
		span(a.number("minLength"), a.number("maxLength"), " character", " characters"),
		span(a.number("minItems"), a.number("maxItems"), " entry", " entries"))
	for _, keyword := range []string{"pattern", "format"} {
		if text := a.text(keyword); !strings.ContainsAny(text, "\r\n") {
			phrases = append(phrases, phrase(keyword+" ", text, "")...)
		}
	}
	return phrases
}

// span says from where to where a number goes, in a unit.
func span(low, high, one, several string) []string {
	unit := func(n string) string {
		if n == "1" {
			return one
		}
		return several
	}
	switch {
	case low != "" && low == high:
		return phrase("", low, unit(low))
	case low != "" && high != "" && len(low)+len(high) <= longestBound:
		return phrase("", low, " to "+high+several)
	case high == "" && one != "" && low == "1":
		return []string{"not empty"}
	}
	return append(phrase("at least ", low, unit(low)), phrase("at most ", high, unit(high))...)
}

// phrase is one around a value; none without a value, or with a long one.
func phrase(before, value, after string) []string {
	if value == "" || len(value) > longestBound {
		return nil
	}
	return []string{before + value + after}
}
