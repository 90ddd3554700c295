package runtime

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// mostInexact is how many numbers are told.
const mostInexact = 10

// inexact are notes on whole numbers of inputs that JavaScript has no number for: those beyond
// 2^53 become their neighbours.
func inexact(inputs json.RawMessage) (notes []Note) {
	const exact = 15 // digits, which a number of JavaScript always holds
	for i := 0; i < len(inputs) && len(notes) < mostInexact; i++ {
		switch c := inputs[i]; {
		case c == '"':
			for i++; i < len(inputs) && inputs[i] != '"'; i++ {
				if inputs[i] == '\\' {
					i++
				}
			}
		case c == '-' || '0' <= c && c <= '9':
			begin := i
			for i < len(inputs) && slices.Contains([]byte("+-.0123456789eE"), inputs[i]) {
				i++
			}
			text := string(inputs[begin:min(i, begin+400)])
			if i--; len(text) <= exact {
				continue
			}
			whole, ok := new(big.Int).SetString(text, 10)
			if !ok {
				continue // a fraction, which is one of many that come out the same
			}
			is, err := strconv.ParseFloat(text, 64)
			if err != nil {
				continue
			}
			if got, _ := big.NewFloat(is).Int(nil); got.Cmp(whole) != 0 {
				notes = append(notes, Note{Code: NoteLost, Text: fmt.Sprintf("the inputs have the whole number %.40s, which no number of JavaScript is; the script gets %s: declare it as a string", text, got)})
			}
		}
	}
	return notes
}
