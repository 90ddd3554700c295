package realm

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// parseInt keeps the sign of zero, and gives the nearest number to many digits.
func parseInt(r *Realm, original goja.Callable) func(goja.FunctionCall) goja.Value {
	return func(call goja.FunctionCall) goja.Value {
		text, ok := r.textOf(call.Argument(0))
		if !ok {
			return must(original(call.This, call.Arguments...))
		}
		radix := call.Argument(1)
		if n, ok := shortInteger(text); ok && (goja.IsUndefined(radix) || radix.ExportType() == integerType && radix.ToInteger() == 10) {
			return r.vm.ToValue(n)
		}
		return r.vm.ToValue(integerOf(text.String(), wordOf(r.number(radix))))
	}
}

// integerOf is parseInt of a text; of the radix the lowest 32 bits count.
func integerOf(text string, word int64) float64 {
	text = strings.TrimLeft(text, whitespace)
	sign := 1.0
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		text, sign = digits, -1
	} else {
		text = strings.TrimPrefix(text, "+")
	}
	radix := int(int32(word))
	if radix == 0 || radix == 16 {
		if len(text) >= 2 && text[0] == '0' && text[1]|0x20 == 'x' {
			text, radix = text[2:], 16
		} else if radix == 0 {
			radix = 10
		}
	}
	if radix < 2 || radix > 36 {
		return math.NaN()
	}
	end := 0
	for end < len(text) && digit(text[end]) < radix {
		end++
	}
	if end == 0 {
		return math.NaN()
	}
	return sign * digitsOf(text[:end], radix)
}

// digit is the value of a digit; 36 of what is none.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 36
}

// digitsOf is the number that digits are. That of base 10 and of powers of two is the nearest;
// others are rounded every few digits, as in Node.
func digitsOf(digits string, radix int) float64 {
	switch {
	case radix == 10:
		n, _ := strconv.ParseFloat(digits, 64) // it is infinite if it is out of range
		return n
	case radix&(radix-1) == 0:
		if len(digits) <= 8 { // 40 bits
			n, _ := strconv.ParseInt(digits, radix, 64) // they are digits
			return float64(n)
		}
		n, _ := new(big.Int).SetString(digits, radix)
		return floatOf(n)
	}
	const most = math.MaxUint32 / 36
	n, part, multiplier := 0.0, 0, 1
	digits = strings.TrimLeft(digits, "0")
	for i := range len(digits) {
		if multiplier*radix > most {
			n, part, multiplier = n*float64(multiplier)+float64(part), 0, 1
		}
		part, multiplier = part*radix+digit(digits[i]), multiplier*radix
	}
	return n*float64(multiplier) + float64(part)
}

// shortInteger reads nothing but a few digits, which most texts of numbers are.
func shortInteger(text goja.String) (n int64, ok bool) {
	length := text.Length()
	if length == 0 || length > 15 {
		return 0, false
	}
	for i := range length {
		c := text.CharAt(i)
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
