package intl

import (
	"strings"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Collator compares texts. It is for one goroutine at a time.
type Collator struct {
	whole, base *collate.Collator
	upper       bool // capitals come first
	ignore      bool // punctuation and space do not count
}

// NewCollator makes a collator with the resolved options of Intl.Collator.
func NewCollator(sensitivity, caseFirst string, numeric, ignorePunctuation bool) *Collator {
	var options []collate.Option
	base := []collate.Option{collate.IgnoreCase}
	if numeric {
		options, base = append(options, collate.Numeric), append(base, collate.Numeric)
	}
	switch sensitivity {
	case "base":
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		options = append(options, collate.IgnoreCase)
	case "case":
		options = append(options, collate.IgnoreDiacritics)
		base = append(base, collate.IgnoreDiacritics)
	}
	c := &Collator{whole: collate.New(language.AmericanEnglish, options...), ignore: ignorePunctuation}
	if caseFirst == "upper" && (sensitivity == "variant" || sensitivity == "case") {
		c.upper, c.base = true, collate.New(language.AmericanEnglish, base...)
	}
	return c
}

// Compare is -1, 0 or 1.
func (c *Collator) Compare(a, b string) int {
	if c.ignore {
		a, b = bare(a), bare(b)
	}
	order := c.whole.CompareString(a, b)
	if c.upper && order != 0 && c.base.CompareString(a, b) == 0 {
		return -order
	}
	return order
}

func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
