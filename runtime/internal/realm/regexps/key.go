package regexps

import (
	"strconv"
	"strings"

	"github.com/scriptrun/scriptrun/runtime/internal/regex"
)

// encode makes the pattern that the engine sees: one class of letters and digits, which it
// compiles fast. They spell the flags, in two hexadecimal digits, and the code units: letters
// and digits as they are but z, all others as z and four hexadecimal digits.
func encode(units []uint16, flags regex.Flags) string {
	var key strings.Builder
	key.Grow(len(units) + 16)
	key.WriteByte('[')
	writeHex(&key, uint16(flags), 2)
	for _, c := range units {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c < 'z' {
			key.WriteByte(byte(c))
			continue
		}
		key.WriteByte('z')
		writeHex(&key, c, 4)
	}
	key.WriteByte(']')
	return key.String()
}

func writeHex(key *strings.Builder, n uint16, digits int) {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		key.WriteByte("0123456789abcdef"[n>>shift&15])
	}
}

// decode reads what encode wrote.
func decode(key string) (units []uint16, flags regex.Flags, ok bool) {
	if len(key) < 4 || key[0] != '[' || key[len(key)-1] != ']' {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(key[1:3], 16, 8)
	if err != nil {
		return nil, 0, false
	}
	key = key[3 : len(key)-1]
	units = make([]uint16, 0, len(key))
	for i := 0; i < len(key); i++ {
		if key[i] != 'z' {
			units = append(units, uint16(key[i]))
			continue
		}
		if i+5 > len(key) {
			return nil, 0, false
		}
		c, err := strconv.ParseUint(key[i+1:i+5], 16, 16)
		if err != nil {
			return nil, 0, false
		}
		units = append(units, uint16(c))
		i += 4
	}
	return units, regex.Flags(n), true
}
