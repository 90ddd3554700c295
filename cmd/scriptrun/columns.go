package main

import "golang.org/x/text/width"

// columns is the beginning of a text that fits into most columns of a terminal; all of
// it if most is not positive.
func columns(text string, most int) string {
	if most <= 0 {
		return text
	}
	for i, r := range text {
		most--
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			most--
		}
		if most < 0 {
			return text[:i]
		}
	}
	return text
}
