package intl

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Collator compares texts. It is for one goroutine at a time.
type Collator struct {
	whole, base *collate.Collator
	upper       bool // capitals come first
	cased       bool // of letters that are the same, only small and capital ones differ
	ignore      bool // punctuation and space do not count
	numeric     bool // numbers count by their values
}

// NewCollator makes a collator with the resolved options of Intl.Collator.
func NewCollator(sensitivity, caseFirst string, numeric, ignorePunctuation bool) *Collator {
	var options []collate.Option
	base := []collate.Option{collate.IgnoreCase}
	switch sensitivity {
	case "base", "case": // what a letter has of a mark, or of a form, is not told apart from its case: case does that itself
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		options = append(options, collate.IgnoreCase)
	}
	c := &Collator{
		whole: collate.New(language.AmericanEnglish, options...), upper: caseFirst == "upper", cased: sensitivity == "case",
		ignore: ignorePunctuation, numeric: numeric,
	}
	if c.upper && sensitivity == "variant" {
		c.base = collate.New(language.AmericanEnglish, base...)
	}
	return c
}

// Compare is -1, 0 or 1.
func (c *Collator) Compare(a, b string) int {
	if c.ignore {
		a, b = bare(a), bare(b)
	}
	if c.numeric {
		a, b = byValue(a), byValue(b)
	}
	order := c.whole.CompareString(a, b)
	if c.cased && order == 0 {
		if order = strings.Compare(cases(a), cases(b)); c.upper {
			return -order
		}
		return order
	}
	if c.base != nil && order != 0 && c.base.CompareString(a, b) == 0 {
		if capitals := strings.Compare(cases(b), cases(a)); capitals != 0 {
			return capitals
		}
	}
	return order
}

// cases says of each letter of a text whether it is a capital one.
func cases(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.M, r):
			return -1
		case unicode.IsUpper(r):
			return '2'
		}
		return '1'
	}, norm.NFKD.String(letters.Replace(text)))
}

// letters are those that count as two.
var letters = strings.NewReplacer("ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE")

func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// byValue puts the number of its digits before every number that has no zeros in front, so that
// the longer number is the greater one. A library would do this if it did not fail at zero.
func byValue(text string) string {
	first := strings.IndexFunc(text, unicode.IsDigit)
	if first < 0 {
		return text
	}
	out := []byte(text[:first])
	var number []byte
	flush := func() {
		if number != nil {
			significant := bytes.TrimLeft(number, "0")
			out = append(append(out, digitCount(len(significant))...), significant...)
			number = nil
		}
	}
	for _, r := range text[first:] {
		if !unicode.IsDigit(r) {
			flush()
			out = utf8.AppendRune(out, r)
			continue
		}
		number = append(number, '0'+digitValue(r))
	}
	flush()
	return string(out)
}

// digitCount writes how many digits a number has, so that more is greater as a text.
func digitCount(n int) string {
	if n < 9 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("9%09d", n)
}

// digitValue is the value of a decimal digit of any script. Those of a script follow each other.
func digitValue(r rune) byte {
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return byte(r - zero) //nolint:gosec // at most 9
}
