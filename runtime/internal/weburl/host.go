package weburl

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxName bounds the names of hosts that are not plain ASCII: what they stand for takes more
// than linear time to find. No name that resolves is longer than 253.
const maxName = 2048

const (
	forbiddenInHost   = "\x00\t\n\r #/:<>?@[\\]^|"
	forbiddenInDomain = forbiddenInHost + "%\x7f"
)

// parseHost is the host that a text names; one of a special scheme is a domain or an
// address, and any other is opaque.
func parseHost(text string, isSpecial bool) (string, bool) {
	if strings.HasPrefix(text, "[") {
		if !strings.HasSuffix(text, "]") {
			return "", false
		}
		pieces, ok := parseIPv6(text[1 : len(text)-1])
		return "[" + pieces.String() + "]", ok
	}
	if !isSpecial {
		return encode(text, inControl), !strings.ContainsAny(text, forbiddenInHost)
	}
	domain, ok := toASCII(Unescape(text))
	if !ok || domain == "" || strings.ContainsAny(domain, forbiddenInDomain) || strings.ContainsFunc(domain, func(c rune) bool { return c < ' ' }) {
		return "", false
	}
	if endsInNumber(domain) {
		return parseIPv4(domain)
	}
	return domain, true
}

// profile is how the standard wants names mapped.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false),
	idna.StrictDomainName(false), idna.Transitional(false), idna.VerifyDNSLength(false))

// toASCII maps a name to its form in ASCII.
func toASCII(domain string) (string, bool) {
	lower := strings.ToLower(domain)
	plain := true
	for i := range len(lower) {
		plain = plain && lower[i] < 0x80
	}
	if plain && !strings.HasPrefix(lower, "xn--") && !strings.Contains(lower, ".xn--") {
		return lower, true
	}
	if len(domain) > maxName || !utf8.ValidString(domain) {
		return "", false
	}
	ascii, err := profile.ToASCII(domain)
	return ascii, err == nil
}

// endsInNumber reports whether a name has to be an address of IPv4.
func endsInNumber(domain string) bool {
	domain = strings.TrimSuffix(domain, ".")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := number(last)
	return ok
}

// number reads a decimal, octal or hexadecimal number. One that is too large is the largest.
func number(text string) (uint64, bool) {
	base := 10
	switch {
	case text == "":
		return 0, false
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		base, text = 16, text[2:]
	case len(text) > 1 && text[0] == '0':
		base, text = 8, text[1:]
	}
	if text == "" {
		return 0, true
	}
	for i := range len(text) {
		if !isHex(text[i]) || int(hexValue(text[i])) >= base {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return math.MaxUint64, true
	}
	return n, true
}

func parseIPv4(domain string) (string, bool) {
	parts := strings.SplitN(strings.TrimSuffix(domain, "."), ".", 5)
	if len(parts) > 4 {
		return "", false
	}
	var address uint64
	for i, part := range parts {
		n, ok := number(part)
		if !ok {
			return "", false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return "", false
			}
			address |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return "", false
		}
		address |= n
	}
	var b strings.Builder
	for i := range 4 {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.FormatUint(address>>(8*(3-i))&255, 10))
	}
	return b.String(), true
}
