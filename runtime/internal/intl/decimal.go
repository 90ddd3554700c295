package intl

import (
	"strconv"
	"strings"
)

// Decimal is a decimal number, an infinity or no number. The zero value is 0.
type Decimal struct {
	Negative bool
	NaN      bool
	Infinite bool
	digits   string // without zeros at either end; the value is 0.digits × 10^point
	point    int
}

// maxPoint bounds exponents of texts; a larger number is infinite, a smaller one zero.
const maxPoint = 1 << 20

// ParseDecimal reads a number as JavaScript writes it: digits, perhaps with a sign, a point
// and an exponent, Infinity or NaN. Anything else is no number.
func ParseDecimal(text string) (d Decimal) {
	rest, negative := strings.CutPrefix(text, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	d.Negative = negative
	if rest == "Infinity" {
		d.Infinite = true
		return d
	}
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return Decimal{NaN: true}
	}
	shift := 0
	if scaled {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil {
			if strings.Trim(strings.TrimLeft(exponent, "+-"), "0123456789") != "" || exponent == "" {
				return Decimal{NaN: true}
			}
			shift = 2 * maxPoint
			if exponent[0] == '-' {
				shift = -shift
			}
		}
	}
	trimmed := strings.TrimLeft(digits, "0")
	d.point = len(whole) - (len(digits) - len(trimmed)) + shift
	d.digits = strings.TrimRight(trimmed, "0")
	switch {
	case d.digits == "", d.point < -maxPoint:
		d.digits, d.point = "", 0
	case d.point > maxPoint+len(digits):
		d.digits, d.point, d.Infinite = "", 0, true
	}
	return d
}

// zero reports whether the number is 0 or -0.
func (d Decimal) zero() bool { return d.digits == "" && !d.NaN && !d.Infinite }

// shifted is the number times a power of ten.
func (d Decimal) shifted(by int) Decimal {
	if d.digits != "" {
		d.point += by
	}
	return d
}

// magnitude is the power of ten of the first digit; 0 of zero.
func (d Decimal) magnitude() int {
	if d.digits == "" {
		return 0
	}
	return d.point - 1
}

// rounded keeps digits down to 10^-places; steps of an increment count in that place.
func (d Decimal) rounded(places int, mode string, increment int) Decimal {
	if d.digits == "" || d.NaN || d.Infinite {
		return d
	}
	if increment > 1 {
		return d.stepped(places, mode, increment)
	}
	keep := d.point + places // digits that stay
	if keep >= len(d.digits) {
		return d
	}
	var kept string
	half := -1 // how the rest compares with a half
	if keep >= 0 {
		kept = d.digits[:keep]
		rest := d.digits[keep:]
		switch {
		case rest[0] > '5', rest[0] == '5' && len(rest) > 1:
			half = 1
		case rest[0] == '5':
			half = 0
		}
	}
	odd := kept != "" && (kept[len(kept)-1]-'0')%2 == 1
	if up(mode, d.Negative, half, odd) {
		if keep < 0 {
			return Decimal{Negative: d.Negative, digits: "1", point: 1 - places}
		}
		carried, more := plusOne(kept)
		return Decimal{Negative: d.Negative, digits: strings.TrimRight(carried, "0"), point: d.point + more}
	}
	kept = strings.TrimRight(kept, "0")
	if kept == "" {
		return Decimal{Negative: d.Negative}
	}
	return Decimal{Negative: d.Negative, digits: kept, point: d.point}
}

// plusOne adds one to the last digit; more says whether there is one digit more now.
func plusOne(digits string) (sum string, more int) {
	out := []byte(digits)
	for i := len(out) - 1; i >= 0; i-- {
		if out[i]++; out[i] <= '9' {
			return string(out), 0
		}
		out[i] = '0'
	}
	return "1" + string(out), 1
}

// up reports whether what is cut off rounds away from zero. half compares it with a half.
func up(mode string, negative bool, half int, odd bool) bool {
	switch mode {
	case "ceil":
		return !negative
	case "floor":
		return negative
	case "expand":
		return true
	case "trunc":
		return false
	case "halfCeil":
		return half > 0 || half == 0 && !negative
	case "halfFloor":
		return half > 0 || half == 0 && negative
	case "halfTrunc":
		return half > 0
	case "halfEven":
		return half > 0 || half == 0 && odd
	default: // halfExpand
		return half >= 0
	}
}

// stepped rounds to a multiple of increment × 10^-places: increments are 2 to 5000.
func (d Decimal) stepped(places int, mode string, increment int) Decimal {
	digits, fraction := d.split(places)
	remainder, quotient := 0, make([]byte, 0, len(digits))
	for i := range len(digits) {
		remainder = remainder*10 + int(digits[i]-'0')
		quotient = append(quotient, byte('0'+remainder/increment)) //nolint:gosec // a digit
		remainder %= increment
	}
	if remainder == 0 && fraction == "" {
		return d
	}
	half := 2*remainder - increment
	if half == 0 && fraction != "" {
		half = 1
	}
	text := string(quotient)
	odd := text != "" && (text[len(text)-1]-'0')%2 == 1
	if up(mode, d.Negative, half, odd) {
		if text == "" {
			text = "0"
		}
		text, _ = plusOne(text)
	}
	out := times(text, increment)
	value := ParseDecimal(out).shifted(-places)
	value.Negative = d.Negative
	return value
}

// split is the number in units of 10^-places, and the digits below.
func (d Decimal) split(places int) (whole, fraction string) {
	keep := d.point + places
	switch {
	case keep <= 0:
		return "0", d.digits
	case keep >= len(d.digits):
		return d.digits + strings.Repeat("0", keep-len(d.digits)), ""
	}
	return d.digits[:keep], d.digits[keep:]
}

func times(digits string, by int) string {
	out, carry := make([]byte, len(digits)), 0
	for i := len(digits) - 1; i >= 0; i-- {
		carry += int(digits[i]-'0') * by
		out[i] = byte('0' + carry%10) //nolint:gosec // a digit
		carry /= 10
	}
	return strconv.Itoa(carry) + string(out)
}

// fixed are the digits before and after the point.
func (d Decimal) fixed() (whole, fraction string) {
	switch {
	case d.digits == "":
		return "0", ""
	case d.point <= 0:
		return "0", strings.Repeat("0", -d.point) + d.digits
	case d.point >= len(d.digits):
		return d.digits + strings.Repeat("0", d.point-len(d.digits)), ""
	}
	return d.digits[:d.point], d.digits[d.point:]
}
