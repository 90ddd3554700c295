package intl

import (
	"unicode"
	"unicode/utf16"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
)

// Segment is a part of a text.
type Segment struct {
	Units int  // of UTF-16
	Word  bool // it has a letter or a digit
}

// Segments parts a text by grapheme, word or sentence. stop, which is asked now and then,
// ends it early.
func Segments(text, granularity string, stop func() bool) (out []Segment) {
	var next func() bool
	var value func() string
	switch granularity {
	case "word":
		it := words.FromString(text)
		next, value = it.Next, it.Value
	case "sentence":
		it := sentences.FromString(text)
		next, value = it.Next, it.Value
	default:
		it := graphemes.FromString(text)
		next, value = it.Next, it.Value
	}
	for next() {
		one := Segment{}
		for _, r := range value() {
			one.Units += utf16.RuneLen(r)
			one.Word = one.Word || unicode.IsLetter(r) || unicode.IsNumber(r)
		}
		if out = append(out, one); len(out)%1000 == 0 && stop() {
			return out
		}
	}
	return out
}
