package realm

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// wideText is a text of the script as UTF-8 in which halves of surrogate pairs are three
// bytes, as if they were characters.
func wideText(v goja.Value) string {
	text := v.String()
	if !strings.ContainsRune(text, utf8.RuneError) {
		return text
	}
	units, ok := v.ToString().(goja.String)
	if !ok {
		return text
	}
	out := make([]byte, 0, len(text))
	for i, n := 0, units.Length(); i < n; i++ {
		c := rune(units.CharAt(i))
		if utf16.IsSurrogate(c) && i+1 < n {
			if whole := utf16.DecodeRune(c, rune(units.CharAt(i+1))); whole != utf8.RuneError {
				out = utf8.AppendRune(out, whole)
				i++
				continue
			}
		}
		if utf16.IsSurrogate(c) {
			out = append(out, 0xe0|byte(c>>12), 0x80|byte(c>>6)&0x3f, 0x80|byte(c)&0x3f)
			continue
		}
		out = utf8.AppendRune(out, c)
	}
	return string(out)
}

// string reads a text after its first quote.
func (j *jsonText) string() (goja.Value, error) {
	text, units, err := j.scan()
	if err != nil {
		return nil, err
	}
	if units != nil {
		return goja.StringFromUTF16(units), nil
	}
	return j.r.vm.ToValue(strings.Clone(text)), nil // or the text of all would be kept for a part
}

// key reads the name of a property. It is odd if Go has no such text.
func (j *jsonText) key() (name string, odd goja.Value, err error) {
	text, units, err := j.scan()
	if units == nil || err != nil {
		return text, nil, err
	}
	value := goja.StringFromUTF16(units)
	for i := 0; i < len(units); i++ {
		if c := rune(units[i]); utf16.IsSurrogate(c) {
			if i+1 == len(units) || utf16.DecodeRune(c, rune(units[i+1])) == utf8.RuneError {
				return "", value, nil
			}
			i++
		}
	}
	return value.String(), nil, nil
}

// scan reads up to the last quote: a part of the text, or units if it has escapes or is odd.
func (j *jsonText) scan() (text string, units []uint16, err error) {
	begin, odd := j.at, false
	for ; j.at < len(j.text); j.at++ {
		switch c := j.text[j.at]; {
		case c == '"':
			text = j.text[begin:j.at]
			j.at++
			if odd && !utf8.ValidString(text) {
				return "", appendWide(nil, text), nil
			}
			return text, nil, nil
		case c == '\\':
			units = appendWide(make([]uint16, 0, j.at-begin+16), j.text[begin:j.at])
			units, err = j.escapes(units)
			return "", units, err
		case c < ' ':
			return "", nil, j.unexpected()
		case c >= utf8.RuneSelf:
			odd = true
		}
	}
	return "", nil, j.unexpected()
}

// escapes goes on at the first escape.
func (j *jsonText) escapes(units []uint16) ([]uint16, error) {
	from := j.at
	for j.at < len(j.text) {
		c := j.text[j.at]
		switch {
		case c == '"':
			units = appendWide(units, j.text[from:j.at])
			j.at++
			return units, nil
		case c < ' ':
			return nil, j.unexpected()
		case c != '\\':
			j.at++
			continue
		}
		units = appendWide(units, j.text[from:j.at])
		if j.at++; j.at >= len(j.text) {
			return nil, j.unexpected()
		}
		c = j.text[j.at]
		if c == 'u' {
			if len(j.text)-j.at < 5 {
				j.at = len(j.text)
				return nil, j.unexpected()
			}
			unit, err := strconv.ParseUint(j.text[j.at+1:j.at+5], 16, 16)
			if err != nil || strings.ContainsAny(j.text[j.at+1:j.at+5], "+-_") {
				j.at++
				return nil, j.unexpected()
			}
			units = append(units, uint16(unit))
			j.at += 5
			from = j.at
			continue
		}
		i := strings.IndexByte(`"\/bfnrt`, c)
		if i < 0 {
			return nil, j.unexpected()
		}
		units = append(units, uint16("\"\\/\b\f\n\r\t"[i]))
		j.at++
		from = j.at
	}
	return nil, j.unexpected()
}

// appendWide appends a text in which halves of surrogate pairs are three bytes.
func appendWide(units []uint16, text string) []uint16 {
	if units == nil {
		units = make([]uint16, 0, len(text))
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			units = append(units, uint16(c))
			i++
			continue
		}
		if c == 0xed && i+2 < len(text) && text[i+1] >= 0xa0 {
			units = append(units, 0xd000|uint16(text[i+1]&0x3f)<<6|uint16(text[i+2]&0x3f))
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		units = utf16.AppendRune(units, r)
		i += size
	}
	return units
}
