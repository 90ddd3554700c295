package web

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/utf8text"
)

// charset is an encoding of Buffer, by its name in lower case.
type charset string

// charsetNamed finds an encoding; it is empty for a name that is none.
func charsetNamed(name string) charset {
	if len(name) > 9 {
		return ""
	}
	switch name = strings.ToLower(name); name {
	case "utf8", "utf-8":
		return "utf8"
	case "ucs2", "ucs-2", "utf16le", "utf-16le":
		return "utf16le"
	case "latin1", "binary":
		return "latin1"
	case "ascii", "hex", "base64", "base64url":
		return charset(name)
	}
	return ""
}

// bytes are those of a text. What is no hex or base64 ends it or is left out, as in Node.
func (c charset) bytes(text goja.Value) []byte {
	switch c {
	case "utf8":
		return []byte(scalarText(text))
	case "hex":
		return hexBytes(text.String())
	case "base64", "base64url":
		return base64Bytes(text.String())
	}
	s := text.String()
	if ascii(s) {
		if c == "utf16le" {
			data := make([]byte, 2*len(s))
			for i := range len(s) {
				data[2*i] = s[i]
			}
			return data
		}
		return []byte(s)
	}
	units, ok := text.ToString().(goja.String)
	if !ok {
		return nil
	}
	n := units.Length()
	if c != "utf16le" { // the low byte of each unit
		data := make([]byte, n)
		for i := range n {
			data[i] = byte(units.CharAt(i))
		}
		return data
	}
	data := make([]byte, 0, 2*n)
	for i := range n {
		unit := units.CharAt(i)
		data = append(data, byte(unit), byte(unit>>8))
	}
	return data
}

// text decodes bytes, to a Go string or to a value.
func (c charset) text(data []byte) any {
	switch c {
	case "utf8":
		if utf8.Valid(data) {
			return string(data)
		}
		return string(utf8text.Replace(data))
	case "hex":
		return hex.EncodeToString(data)
	case "base64":
		return base64.StdEncoding.EncodeToString(data)
	case "base64url":
		return base64.RawURLEncoding.EncodeToString(data)
	case "utf16le":
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
		}
		return goja.StringFromUTF16(units)
	case "ascii":
		low := make([]byte, len(data))
		for i, b := range data {
			low[i] = b & 0x7f
		}
		return string(low)
	}
	return latin1(data)
}

// length is how many bytes a text has in the encoding, without making them.
func (c charset) length(text goja.Value) int {
	if c == "utf8" {
		return len(scalarText(text))
	}
	n := 0
	if units, ok := text.ToString().(goja.String); ok {
		n = units.Length()
	}
	switch c {
	case "base64", "base64url":
		tail := text.String()
		tail = tail[max(0, len(tail)-2):]
		return (n - len(tail) + len(strings.TrimRight(tail, "="))) * 3 / 4
	case "hex":
		return n / 2
	case "utf16le":
		return 2 * n
	}
	return n
}

// expansion is how many bytes of text a byte becomes, at most.
func (c charset) expansion() int64 {
	switch c {
	case "hex":
		return 2
	case "utf8", "latin1":
		return 3
	}
	return 2
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hexBytes decodes pairs of digits up to the first that is none.
func hexBytes(text string) []byte {
	data := make([]byte, len(text)/2)
	n, _ := hex.Decode(data, []byte(text[:len(text)/2*2]))
	return data[:n]
}

// base64Bytes decodes both alphabets, leaves out what belongs to neither, and ends at the
// padding.
func base64Bytes(text string) []byte {
	if data, err := base64.StdEncoding.DecodeString(text); err == nil {
		return data
	}
	if end := strings.IndexByte(text, '='); end >= 0 {
		text = text[:end]
	}
	kept := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c == '-':
			kept = append(kept, '+')
		case c == '_':
			kept = append(kept, '/')
		case c == '+', c == '/', '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80:
			kept = append(kept, c)
		}
	}
	if len(kept)%4 == 1 {
		kept = kept[:len(kept)-1]
	}
	data, _ := base64.RawStdEncoding.DecodeString(string(kept)) // nothing that is wrong is left
	return data
}
