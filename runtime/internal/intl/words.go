package intl

import (
	"slices"
	"strings"
)

// Plural is the category of a number: "one" or "other", or those of ordinals.
func (n *Number) Plural(d Decimal, ordinal bool) string {
	if d.NaN || d.Infinite {
		return "other"
	}
	scaled := d
	if n.Notation == "compact" || n.Notation == "scientific" || n.Notation == "engineering" {
		if n.scale(d) > 0 {
			return "other"
		}
	}
	whole, fraction := n.padded(n.round(scaled))
	whole = strings.TrimLeft(whole, "0")
	if !ordinal {
		if whole == "1" && fraction == "" {
			return "one"
		}
		return "other"
	}
	if fraction != "" && strings.Trim(fraction, "0") != "" {
		return "other"
	}
	teen := len(whole) > 1 && whole[len(whole)-2] == '1'
	if whole == "" || teen {
		return "other"
	}
	switch whole[len(whole)-1] {
	case '1':
		return "one"
	case '2':
		return "two"
	case '3':
		return "few"
	}
	return "other"
}

// List joins texts as Intl.ListFormat does.
func List(items []string, kind, style string) (out []Part) {
	word := map[string]string{"conjunction": "and", "disjunction": "or"}[kind]
	gap, two, last := ", ", " "+word+" ", ", "+word+" "
	switch {
	case kind == "unit" && style == "narrow":
		gap, two, last = " ", " ", " "
	case kind == "unit":
		two, last = ", ", ", "
	case kind == "conjunction" && style == "short":
		two, last = " & ", ", & "
	case kind == "conjunction" && style == "narrow":
		two, last = ", ", ", "
	}
	for i, item := range items {
		switch {
		case i == 0:
		case len(items) == 2:
			out = append(out, literal(two))
		case i == len(items)-1:
			out = append(out, literal(last))
		default:
			out = append(out, literal(gap))
		}
		out = append(out, Part{Type: "element", Value: item})
	}
	return out
}

// RelativeUnits are the units of Intl.RelativeTimeFormat.
var RelativeUnits = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// relativeShort are the short names, singular and plural, and the narrow one.
var relativeShort = map[string][3]string{
	"second": {"sec.", "sec.", "s"}, "minute": {"min.", "min.", "m"}, "hour": {"hr.", "hr.", "h"}, "day": {"day", "days", "d"},
	"week": {"wk.", "wk.", "w"}, "month": {"mo.", "mo.", "mo"}, "quarter": {"qtr.", "qtrs.", "q"}, "year": {"yr.", "yr.", "y"},
}

// Relative says how long ago something was, or when it will be.
func (n *Number) Relative(d Decimal, unit, style string, auto bool) []Part {
	if auto {
		if word := relativeWord(d.rounded(2, "halfExpand", 1), unit, style); word != "" {
			return []Part{literal(word)}
		}
	}
	negative := d.Negative
	d.Negative = false
	number := n.Format(d)
	for i := range number {
		number[i].Unit = unit
	}
	one := n.Plural(d, false) == "one"
	name := unit
	if !one {
		name += "s"
	}
	gap := " "
	switch short := relativeShort[unit]; style {
	case "short":
		name = short[1]
		if one {
			name = short[0]
		}
	case "narrow":
		name, gap = short[2], ""
	}
	if negative {
		return append(number, literal(gap+name+" ago"))
	}
	return append(append([]Part{literal("in ")}, number...), literal(gap+name))
}

// relativeWord is a word for -1, 0 and 1, where there is one.
func relativeWord(d Decimal, unit, style string) string {
	at := 1
	switch {
	case d.zero():
	case d.digits == "1" && d.point == 1 && !d.Infinite && !d.NaN:
		at = 2
		if d.Negative {
			at = 0
		}
	default:
		return ""
	}
	switch unit {
	case "second":
		return [3]string{"", "now", ""}[at]
	case "minute", "hour":
		return [3]string{"", "this " + unit, ""}[at]
	case "day":
		return [3]string{"yesterday", "today", "tomorrow"}[at]
	}
	name := unit
	if short := relativeShort[unit]; style != "long" {
		name = short[0]
	}
	return [3]string{"last ", "this ", "next "}[at] + name
}

// IsRelativeUnit finds a unit by its name in the singular or the plural.
func IsRelativeUnit(name string) (unit string, ok bool) {
	unit = strings.TrimSuffix(name, "s")
	return unit, slices.Contains(RelativeUnits, unit)
}
