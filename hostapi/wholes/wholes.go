// Package wholes finds numbers of JSON texts that JavaScript has no number for: of whole numbers
// beyond 2^53 many become a neighbour, and those beyond all of its numbers become infinite, without a word.
package wholes

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Lost is a number that a script gets as another.
type Lost struct {
	// Text is how the JSON has it, at most 400 bytes.
	Text string
	// Becomes is the number that JavaScript has in its place, in digits, or Infinity or -Infinity.
	Becomes string
}

// infinite is what becomes of a number beyond all of JavaScript's; empty for any other.
func infinite(number []byte) string {
	const short = 308 // digits, which no number without an exponent is infinite with
	if len(number) <= short && !bytes.ContainsAny(number, "eE") {
		return ""
	}
	is, err := strconv.ParseFloat(string(number), 64)
	switch {
	case err == nil || !math.IsInf(is, 0):
		return ""
	case is < 0:
		return "-Infinity"
	}
	return "Infinity"
}

// LostIn returns the first such numbers of a JSON text, at most as many as most, and those that are
// beyond all of JavaScript's. Other fractions and numbers with an exponent are not looked at: each is one
// of many that come out the same.
// It is safe for concurrent use. Of a text that is not JSON it returns what looks like one.
func LostIn(text json.RawMessage, most int) (lost []Lost) {
	const exact = 15 // digits, which a number of JavaScript always holds
	for i := 0; i < len(text) && len(lost) < most; i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '-' || '0' <= c && c <= '9':
			begin := i
			for i < len(text) && slices.Contains([]byte("+-.0123456789eE"), text[i]) {
				i++
			}
			digits := string(text[begin:min(i, begin+400)])
			beyond := infinite(text[begin:i])
			if i--; beyond != "" {
				lost = append(lost, Lost{digits, beyond})
				continue
			}
			if len(digits) <= exact {
				continue
			}
			whole, ok := new(big.Int).SetString(digits, 10)
			if !ok {
				continue
			}
			is, err := strconv.ParseFloat(digits, 64)
			if err != nil {
				continue
			}
			if got, _ := big.NewFloat(is).Int(nil); got.Cmp(whole) != 0 {
				lost = append(lost, Lost{digits, got.String()})
			}
		}
	}
	return lost
}
