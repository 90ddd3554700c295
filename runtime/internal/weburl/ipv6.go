package weburl

import (
	"strconv"
	"strings"
)

// pieces are the numbers of an address of IPv6.
type pieces [8]uint16

// parseIPv6 reads an address without its brackets.
func parseIPv6(text string) (address pieces, ok bool) {
	at, compress := 0, -1
	if strings.HasPrefix(text, ":") {
		if !strings.HasPrefix(text, "::") {
			return address, false
		}
		text = text[2:]
		at, compress = 1, 1
	}
	for text != "" {
		if at == 8 {
			return address, false
		}
		if text[0] == ':' {
			if compress >= 0 {
				return address, false
			}
			text = text[1:]
			at++
			compress = at
			continue
		}
		n, value := 0, uint16(0)
		for n < 4 && n < len(text) && isHex(text[n]) {
			value = value<<4 | uint16(hexValue(text[n]))
			n++
		}
		if n < len(text) && text[n] == '.' {
			if n == 0 || at > 6 {
				return address, false
			}
			low, ok := dotted(text)
			if !ok {
				return address, false
			}
			address[at], address[at+1] = uint16(low>>16), uint16(low)
			at += 2
			break
		}
		text = text[n:]
		if text != "" {
			if text[0] != ':' || len(text) == 1 {
				return address, false
			}
			text = text[1:]
		}
		address[at] = value
		at++
	}
	if compress < 0 {
		return address, at == 8
	}
	moved := at - compress // the pieces behind the gap go to the end
	var out pieces
	copy(out[:], address[:compress])
	copy(out[8-moved:], address[compress:at])
	return out, true
}

// dotted reads the last 32 bits, as they are in IPv4.
func dotted(text string) (address uint32, ok bool) {
	parts := strings.SplitN(text, ".", 5)
	if len(parts) != 4 {
		return 0, false
	}
	for _, part := range parts {
		if part == "" || len(part) > 3 || len(part) > 1 && part[0] == '0' || strings.Trim(part, "0123456789") != "" {
			return 0, false
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > 255 {
			return 0, false
		}
		address = address<<8 | uint32(n)
	}
	return address, true
}

// String writes the address with its longest run of zeros left out.
func (a pieces) String() string {
	first, longest := -1, 1
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && a[i+n] == 0 {
			n++
		}
		if n > longest {
			first, longest = i, n
		}
		i += n
	}
	var b strings.Builder
	for i := 0; i < 8; i++ {
		if i == first {
			b.WriteString("::")
			i += longest - 1
			continue
		}
		if i > 0 && i != first+longest || i > 0 && first < 0 {
			b.WriteByte(':')
		}
		b.WriteString(strconv.FormatUint(uint64(a[i]), 16))
	}
	return b.String()
}
