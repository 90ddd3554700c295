package intl

import "strings"

// Range formats two numbers as a range; equal ones are written once, as about.
func (n *Number) Range(start, end Decimal) []Ranged {
	first, last := n.Format(start), n.Format(end)
	if Text(first) == Text(last) {
		return append([]Ranged{{Part{Type: "approximatelySign", Value: "~"}, "shared"}}, from("shared", first)...)
	}
	gap := "–"
	if n.Style == "currency" || n.Style == "percent" || strings.ContainsAny(Text(first)+Text(last), "-+") {
		gap = " – "
	}
	var tail []Part
	if n.Style == "unit" || n.Style == "currency" && n.CurrencyDisplay == "name" { // the unit is written once
		kept := first
		for len(kept) > 0 && kept[len(kept)-1].Type != "integer" && kept[len(kept)-1].Type != "fraction" && kept[len(kept)-1].Type != "compact" {
			kept = kept[:len(kept)-1]
		}
		first = kept
		end := len(last)
		for end > 0 && last[end-1].Type != "integer" && last[end-1].Type != "fraction" && last[end-1].Type != "compact" {
			end--
		}
		last, tail = last[:end], last[end:]
		if n.Style == "currency" {
			gap = "–"
		}
	}
	out := append(from("startRange", first), Ranged{literal(gap), "shared"})
	out = append(out, from("endRange", last)...)
	return append(out, from("shared", tail)...)
}
