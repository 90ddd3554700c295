package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// The bounds of a JSON text that is decoded here, be it a value or a schema.
const (
	// maxParts bounds how much memory a text becomes: an element takes some 40
	// bytes, an object eight times that, and either may be written in two.
	maxParts    = 1_000_000
	objectParts = 8
	maxDepth    = 1000
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
	parts, depth := 1, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = endOfString(raw, i)
		case c == '{':
			parts += objectParts
			depth++
		case c == '[':
			parts += 2
			depth++
		case c == '}', c == ']':
			depth--
		case c == ',', c == ':':
			parts++
		case c == '-', '0' <= c && c <= '9':
			end := endOfNumber(raw, i)
			if !plainNumber(raw[i:end]) {
				return refuse("", "the number %s has too many digits, or too large an exponent; %d bytes and 1e±%d are the most", shorten(string(raw[i:end]), 30), maxNumberBytes, maxExponent)
			}
			i = end - 1
		}
		if depth > maxDepth {
			return refuse("", "it is nested more than %d levels deep", maxDepth)
		}
		if parts > maxParts {
			return refuse("", "it has more than %d parts, of which an object counts for %d; that is too many to check", maxParts, objectParts)
		}
	}
	return nil
}

// endOfString is the index of the quote that ends the string at i.
func endOfString(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

func endOfNumber(raw []byte, i int) int {
	for i < len(raw) && bytes.IndexByte([]byte("0123456789+-.eE"), raw[i]) >= 0 {
		i++
	}
	return i
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
