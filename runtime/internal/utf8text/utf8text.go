// Package utf8text reads bytes as UTF-8 in the way of the encoding standard of the web, which
// differs from Go's where bytes are wrong: one U+FFFD stands for each longest beginning of a
// character, not for each byte.
package utf8text

// Sequence is how many bytes at the beginning of data are a character, or, if it is not
// whole, could begin one: at least 1.
func Sequence(data []byte) (size int, whole bool) {
	first := data[0]
	var need int
	lower, upper := byte(0x80), byte(0xbf)
	switch {
	case first < 0x80:
		return 1, true
	case 0xc2 <= first && first <= 0xdf:
		need = 1
	case 0xe0 <= first && first <= 0xef:
		need = 2
		switch first {
		case 0xe0:
			lower = 0xa0
		case 0xed:
			upper = 0x9f
		}
	case 0xf0 <= first && first <= 0xf4:
		need = 3
		switch first {
		case 0xf0:
			lower = 0x90
		case 0xf4:
			upper = 0x8f
		}
	default:
		return 1, false
	}
	for i := 1; i <= need; i++ {
		if i >= len(data) || data[i] < lower || data[i] > upper {
			return i, false
		}
		lower, upper = 0x80, 0xbf
	}
	return need + 1, true
}

// Replace puts one U+FFFD in the place of each longest part of a character that is not
// whole, as the encoding standard demands.
func Replace(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8+8)
	for len(data) > 0 {
		size, whole := Sequence(data)
		if whole {
			out = append(out, data[:size]...)
		} else {
			out = append(out, "\ufffd"...)
		}
		data = data[size:]
	}
	return out
}
