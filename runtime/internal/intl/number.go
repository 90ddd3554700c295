package intl

import (
	"math"
	"strconv"
	"strings"
)

// Part is a piece of a formatted text and what it is, such as "integer" or "month".
type Part struct {
	Type, Value string
	Unit        string // of relative times, for numbers
}

// Number is how numbers are formatted, with the resolved options of Intl.NumberFormat. Its
// names are those of the options; a limit of digits that does not count is -1.
type Number struct {
	Style, Currency, CurrencyDisplay, CurrencySign string
	Unit, UnitDisplay                              string
	Notation, CompactDisplay, SignDisplay          string
	Grouping                                       string // "false" for none
	RoundingMode, RoundingPriority, TrailingZero   string
	RoundingIncrement, MinInteger                  int
	MinFraction, MaxFraction, MinDigits, MaxDigits int
}

// Format formats a number.
func (n *Number) Format(d Decimal) []Part {
	if n.Style == "percent" {
		d = d.shifted(2)
	}
	exponent := 0
	if !d.NaN && !d.Infinite {
		scale := n.scale(d) // the power of ten that it is divided by
		rounded := n.round(d.shifted(-scale))
		if again := n.scale(rounded.shifted(scale)); !rounded.zero() && again != scale { // 999.9 is 1K
			scale = again
			rounded = n.round(d.shifted(-scale))
		}
		d, exponent = rounded, scale
	}
	body, plural := n.body(d, exponent)
	return n.dress(body, n.sign(d), plural)
}

// scale is the power of ten that a notation divides by.
func (n *Number) scale(d Decimal) int {
	if d.zero() {
		return 0
	}
	switch m := d.magnitude(); n.Notation {
	case "scientific":
		return m
	case "engineering":
		return int(math.Floor(float64(m)/3)) * 3
	case "compact":
		return max(0, min(m/3*3, 12))
	default:
		return 0
	}
}

// round rounds to the digits that the options ask for.
func (n *Number) round(d Decimal) Decimal {
	fixed := func() Decimal { return d.rounded(n.MaxFraction, n.RoundingMode, n.RoundingIncrement) }
	precise := func() Decimal { return d.rounded(n.MaxDigits-1-d.magnitude(), n.RoundingMode, 1) }
	switch {
	case n.MaxDigits < 0:
		return fixed()
	case n.MaxFraction < 0:
		return precise()
	case n.byDigits(d):
		return precise()
	}
	return fixed()
}

// byDigits reports whether significant digits count, where both kinds are given.
func (n *Number) byDigits(d Decimal) bool {
	if n.MaxDigits < 0 || n.MaxFraction < 0 {
		return n.MaxDigits >= 0
	}
	places := n.MaxDigits - 1 - d.magnitude()
	if n.RoundingPriority == "lessPrecision" {
		return places < n.MaxFraction
	}
	return places >= n.MaxFraction
}

// padded are the digits with the zeros that the options ask for.
func (n *Number) padded(d Decimal) (whole, fraction string) {
	whole, fraction = d.fixed()
	least := n.MinFraction
	if n.byDigits(d) {
		least = n.MinDigits - 1 - d.magnitude()
	}
	if n.TrailingZero == "stripIfInteger" && fraction == "" {
		least = 0
	}
	if missing := least - len(fraction); missing > 0 {
		fraction += strings.Repeat("0", missing)
	}
	if missing := n.MinInteger - len(whole); missing > 0 {
		whole = strings.Repeat("0", missing) + whole
	}
	return whole, fraction
}

// body is the number without sign and unit, and whether its unit is in the plural.
func (n *Number) body(d Decimal, exponent int) (parts []Part, plural bool) {
	switch {
	case d.NaN:
		return []Part{{Type: "nan", Value: "NaN"}}, true
	case d.Infinite:
		return []Part{{Type: "infinity", Value: "∞"}}, true
	}
	whole, fraction := n.padded(d)
	parts = n.grouped(whole)
	if fraction != "" {
		parts = append(parts, Part{Type: "decimal", Value: "."}, Part{Type: "fraction", Value: fraction})
	}
	plural = strings.TrimLeft(whole, "0") != "1" || fraction != ""
	switch n.Notation {
	case "scientific", "engineering":
		plural = plural || exponent != 0
		parts = append(parts, Part{Type: "exponentSeparator", Value: "E"})
		if exponent < 0 {
			parts = append(parts, Part{Type: "exponentMinusSign", Value: "-"})
		}
		parts = append(parts, Part{Type: "exponentInteger", Value: strconv.Itoa(max(exponent, -exponent))})
	case "compact":
		if at := exponent / 3; at > 0 {
			plural = true
			if n.CompactDisplay == "long" && (n.Style != "currency" || n.CurrencyDisplay == "name") {
				parts = append(parts, Part{Type: "literal", Value: " "}, Part{Type: "compact", Value: [...]string{"", "thousand", "million", "billion", "trillion"}[at]})
			} else {
				parts = append(parts, Part{Type: "compact", Value: " KMBT"[at : at+1]})
			}
		}
	}
	return parts, plural
}

// grouped parts digits into thousands.
func (n *Number) grouped(whole string) (parts []Part) {
	least := 4 // digits that are grouped
	if n.Grouping == "min2" || n.Grouping == "auto" && n.Notation == "compact" {
		least = 5
	}
	if n.Grouping == "false" || len(whole) < least {
		return []Part{{Type: "integer", Value: whole}}
	}
	for len(whole) > 0 {
		cut := (len(whole)-1)%3 + 1
		if parts != nil {
			parts = append(parts, Part{Type: "group", Value: ","})
		}
		parts = append(parts, Part{Type: "integer", Value: whole[:cut]})
		whole = whole[cut:]
	}
	return parts
}

// sign is "-", "+" or nothing.
func (n *Number) sign(d Decimal) string {
	negative := d.Negative && !d.NaN
	switch n.SignDisplay {
	case "never":
		return ""
	case "negative":
		negative = negative && !d.zero()
	case "exceptZero":
		if d.zero() || d.NaN {
			return ""
		}
	}
	switch {
	case negative:
		return "-"
	case n.SignDisplay == "always" || n.SignDisplay == "exceptZero":
		return "+"
	}
	return ""
}

// dress puts sign, currency, percent sign or unit around a number.
func (n *Number) dress(body []Part, sign string, plural bool) (parts []Part) {
	accounting := n.Style == "currency" && n.CurrencySign == "accounting" && n.CurrencyDisplay != "name" && sign == "-"
	switch {
	case accounting:
		parts = append(parts, Part{Type: "literal", Value: "("})
	case sign == "-":
		parts = append(parts, Part{Type: "minusSign", Value: "-"})
	case sign == "+":
		parts = append(parts, Part{Type: "plusSign", Value: "+"})
	}
	switch n.Style {
	case "percent":
		kind := "percentSign"
		if n.Notation == "compact" {
			kind = "unit"
		}
		parts = append(append(parts, body...), Part{Type: kind, Value: "%"})
	case "currency":
		parts = append(parts, n.money(body, plural)...)
	case "unit":
		parts = append(parts, measured(n.Unit, n.UnitDisplay, body, plural)...)
	default:
		parts = append(parts, body...)
	}
	if accounting {
		parts = append(parts, Part{Type: "literal", Value: ")"})
	}
	return parts
}
