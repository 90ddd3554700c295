package intl

import (
	"strings"
	"unicode/utf8"
)

// affixed is a formatted number by what stands around it: signs, symbols and short scales
// beside it, and the name of a unit behind all.
type affixed struct{ before, digits, exponent, after, unit []Part }

// affixes takes a formatted number apart.
func (n *Number) affixes(parts []Part) (a affixed) {
	isDigits := func(p Part) bool {
		return p.Type == "integer" || p.Type == "group" || p.Type == "decimal" || p.Type == "fraction" || p.Type == "infinity" || p.Type == "nan"
	}
	i := 0
	take := func(while func(Part) bool) []Part {
		from := i
		for i < len(parts) && while(parts[i]) {
			i++
		}
		return parts[from:i]
	}
	a.before = take(func(p Part) bool { return !isDigits(p) })
	a.digits = take(isDigits)
	a.exponent = take(func(p Part) bool { return strings.HasPrefix(p.Type, "exponent") })
	named := n.Style == "currency" && n.CurrencyDisplay == "name"
	sign := n.Style == "unit" && n.Unit == "percent" && n.UnitDisplay != "long" && n.Notation != "compact" // % is no name
	a.after = take(func(p Part) bool {
		if p.Type == "literal" && i+1 < len(parts) {
			p = parts[i+1]
		}
		return (p.Type != "unit" || sign) && (p.Type != "currency" || !named)
	})
	a.unit = parts[i:]
	return a
}

// Range formats two numbers as a range. Equal ones are written once, as about; a unit that
// both have is written once, and so are symbols, unless they are a single character.
func (n *Number) Range(start, end Decimal) []Ranged {
	whole, other := n.Format(start), n.Format(end)
	if Text(whole) == Text(other) {
		return append([]Ranged{{Part{Type: "approximatelySign", Value: "~"}, "shared"}}, from("shared", whole)...)
	}
	first, last := n.affixes(whole), n.affixes(other)
	unit := last.unit
	if len(unit) > 0 {
		unit = n.affixes(n.Format(Decimal{digits: "2", point: 1})).unit // that of several
	}
	around := Text(first.before) + Text(first.after)
	same := func(a, b []Part) bool { return strings.Trim(Text(a), "\u00a0") == strings.Trim(Text(b), "\u00a0") }
	once := utf8.RuneCountInString(around) > 1 && same(first.before, last.before) && same(first.after, last.after)
	gap := "–"
	if len(first.exponent) > 0 || around != "" && !once {
		gap = " – "
	}
	var out []Ranged
	add := func(source string, parts ...[]Part) {
		for _, some := range parts {
			out = append(out, from(source, some)...)
		}
	}
	if once {
		add("shared", first.before)
		add("startRange", first.digits, first.exponent)
		add("shared", []Part{literal(gap)})
		add("endRange", last.digits, last.exponent)
		add("shared", first.after, unit)
		return out
	}
	add("startRange", first.before, first.digits, first.exponent, first.after)
	add("shared", []Part{literal(gap)})
	add("endRange", last.before, last.digits, last.exponent, last.after)
	add("shared", unit)
	return out
}
