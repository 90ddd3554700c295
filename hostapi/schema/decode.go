package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/scriptrun/scriptrun/hostapi/jsonbound"
	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// MaxParts bounds how much memory a value or a schema becomes, as
// [jsonbound.Marks] counts parts.
const MaxParts = 1_000_000

// The bounds of a JSON text that is decoded here, be it a value or a schema.
const (
	maxDepth = 1000
	// A number is compared exactly, as a fraction: 1e1000000 would be a million
	// digits. No number of a script, nor of most languages, is beyond 1e309.
	maxNumberBytes = 400
	maxExponent    = 400
)

// decode reads a JSON text; a number keeps its digits. The error is an *[Error]
// where the text is beyond a bound, or tells that it is not JSON.
func decode(raw json.RawMessage) (any, error) {
	if err := checkText(raw); err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return value, nil
}

// checkText looks through a text without decoding it. What is not JSON passes,
// and is refused by the decoder.
func checkText(raw []byte) error {
	for m := jsonbound.Scan(raw); m.Next(); {
		switch {
		case m.Kind == jsonbound.Number && !plainNumber(m.Text()):
			return refuse("", "the number %s has too many digits, or too large an exponent; %d bytes and 1e±%d are the most", shorten(string(m.Text()), 30), maxNumberBytes, maxExponent)
		case m.Depth > maxDepth:
			return refuse("", "it is nested more than %d levels deep", maxDepth)
		case m.Parts > MaxParts:
			return refuse("", "it has more than %d parts, of which an object counts for %d; that is too many to check", MaxParts, jsonbound.ObjectParts)
		}
	}
	return nil
}

// plainNumber reports whether a number can be computed with exactly.
func plainNumber(text []byte) bool {
	if len(text) > maxNumberBytes {
		return false
	}
	i := bytes.IndexAny(text, "eE")
	if i < 0 {
		return true
	}
	exponent, err := strconv.Atoi(string(text[i+1:]))
	return err == nil && -maxExponent <= exponent && exponent <= maxExponent
}
