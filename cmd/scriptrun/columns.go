package main

import (
	"strings"

	"golang.org/x/text/width"
)

// columnsOf is how many columns of a terminal a character takes.
func columnsOf(r rune) int {
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// wide is how many columns a text takes.
func wide(text string) (n int) {
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

// columns is the beginning of a text that fits into most columns of a terminal; all of
// it if most is not positive.
func columns(text string, most int) string {
	if most <= 0 {
		return text
	}
	for i, r := range text {
		if most -= columnsOf(r); most < 0 {
			return text[:i]
		}
	}
	return text
}

// wrap breaks a line into rows of at most most columns, within words only where they are
// longer: the first row begins with indent, the others with hang. If most is not positive
// there is one row.
func wrap(indent, hang, text string, most int) (rows []string) {
	hang = hang[:min(len(hang), max(most, 0)/2)]
	for {
		row := text
		if most > 0 {
			row = columns(text, max(most-wide(indent), 2))
		}
		if len(row) < len(text) && text[len(row)] != ' ' {
			blank := strings.LastIndexByte(row, ' ') + 1
			if word, _, _ := strings.Cut(text[blank:], " "); blank > 0 && wide(word) <= most-len(hang) {
				row = row[:blank]
			}
		}
		rows = append(rows, strings.TrimRight(indent+row, " "))
		if text = strings.TrimLeft(text[len(row):], " "); text == "" {
			return rows
		}
		indent = hang
	}
}
