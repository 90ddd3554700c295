package serve

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// halfPair finds half of a surrogate pair in a JSON text, such as \ud800. It is not a
// character, and decoders put another in its place.
func halfPair(text json.RawMessage) (escape string, found bool) {
	for i := 0; i < len(text); {
		at := bytes.IndexByte(text[i:], '\\')
		if at < 0 {
			return "", false
		}
		i += at
		unit, ok := escapedUnit(text[i:])
		switch {
		case !ok:
			i += 2
		case unit < 0xd800 || unit > 0xdfff:
			i += 6
		default:
			next, ok := escapedUnit(text[i+6:])
			if unit > 0xdbff || !ok || next < 0xdc00 || next > 0xdfff {
				return string(text[i : i+6]), true
			}
			i += 12
		}
	}
	return "", false
}

// escapedUnit is the UTF-16 unit of an escape such as \u0041 that begins a text.
func escapedUnit(text json.RawMessage) (unit uint64, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return unit, err == nil
}
