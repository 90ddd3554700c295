package intl

import (
	_ "embed" // the tables
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var (
	//go:embed data/currencies.txt
	currencyTable string
	//go:embed data/units.txt
	unitTable string
)

// rows reads a table: the first column is the key.
func rows(table *string) func() map[string][]string {
	return sync.OnceValue(func() map[string][]string {
		out := map[string][]string{}
		for line := range strings.Lines(*table) {
			columns := strings.Split(strings.TrimSuffix(line, "\n"), "|")
			out[columns[0]] = columns[1:]
		}
		return out
	})
}

var (
	currencies = rows(&currencyTable) // digits, symbol, narrow symbol, singular, plural
	units      = rows(&unitTable)     // long, short and narrow, each singular and plural; then what "per" it is in each
)

// CurrencyDigits is how many digits a currency has after the point.
func CurrencyDigits(code string) int {
	if row := currencies()[code]; row != nil {
		if digits, err := strconv.Atoi(row[0]); err == nil {
			return digits
		}
	}
	return 2
}

// Currencies are the codes that have names.
func Currencies() []string { return keys(currencies()) }

// money puts a currency before a number, or its name after it.
func (n *Number) money(body []Part, plural bool) []Part {
	row := currencies()[n.Currency]
	if row == nil {
		row = []string{"2", n.Currency, n.Currency, n.Currency, n.Currency}
	}
	symbol := row[1]
	switch n.CurrencyDisplay {
	case "code":
		symbol = n.Currency
	case "narrowSymbol":
		symbol = row[2]
	case "name":
		name := row[3]
		if plural {
			name = row[4]
		}
		return append(body, Part{Type: "literal", Value: " "}, Part{Type: "currency", Value: name})
	}
	parts := []Part{{Type: "currency", Value: symbol}}
	if last, _ := utf8.DecodeLastRuneInString(symbol); unicode.IsLetter(last) && body[0].Type == "integer" {
		parts = append(parts, Part{Type: "literal", Value: "\u00a0"})
	}
	return append(parts, body...)
}

// IsUnit reports whether a unit, or one per another, is known.
func IsUnit(unit string) bool {
	if _, known := units()[unit]; known {
		return true
	}
	of, per, compound := strings.Cut(unit, "-per-")
	return compound && units()[of] != nil && len(units()[per]) > 8
}

// Units are those that are known, without those per another.
func Units() (names []string) {
	for _, name := range keys(units()) {
		if !strings.Contains(name, "-per-") {
			names = append(names, name)
		}
	}
	return names
}

// measured puts a unit behind a number.
func measured(unit, display string, body []Part, plural bool) []Part {
	column := map[string]int{"long": 0, "short": 2, "narrow": 4}[display]
	if plural {
		column++
	}
	var pattern string
	if row := units()[unit]; row != nil {
		pattern = row[column]
	} else {
		of, per, _ := strings.Cut(unit, "-per-")
		row, below := units()[of], units()[per]
		if row == nil || len(below) < 9 {
			return body
		}
		pattern = row[column]
		if of != "percent" || column < 2 {
			pattern += below[6+column/2]
		}
	}
	before, after, _ := strings.Cut(pattern, "#")
	if before != "" {
		body = append([]Part{{Type: "unit", Value: before}}, body...)
	}
	name := strings.TrimLeft(after, " ")
	if name != after {
		body = append(body, Part{Type: "literal", Value: " "})
	}
	if name == "" {
		return body
	}
	return append(body, Part{Type: "unit", Value: name})
}
