package web

import (
	"encoding/base64"

	"github.com/dop251/goja"
)

func (w *World) base64Native(native *goja.Object) {
	set(native, map[string]function{
		"atob": func(f goja.FunctionCall) goja.Value {
			data, ok := forgiving(f.Argument(0).String())
			if !ok {
				return goja.Null()
			}
			return w.vm.ToValue(latin1(data))
		},
		"btoa": func(f goja.FunctionCall) goja.Value {
			data, ok := bytesOfLatin1(f.Argument(0).String())
			if !ok {
				return goja.Null()
			}
			return w.vm.ToValue(base64.StdEncoding.EncodeToString(data))
		},
	})
}

// forgiving decodes base64 as the web does: ASCII space does not count, padding may be left
// out, and nothing else may be wrong.
func forgiving(text string) ([]byte, bool) {
	kept := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\f', '\r':
		default:
			kept = append(kept, c)
		}
	}
	if len(kept)%4 == 0 {
		for range 2 {
			if n := len(kept); n > 0 && kept[n-1] == '=' {
				kept = kept[:n-1]
			}
		}
	}
	data := make([]byte, base64.RawStdEncoding.DecodedLen(len(kept)))
	n, err := base64.RawStdEncoding.Decode(data, kept)
	return data[:n], err == nil
}

// latin1 is the text whose characters are bytes.
func latin1(data []byte) string {
	for _, c := range data {
		if c >= 0x80 {
			chars := make([]rune, len(data))
			for i, c := range data {
				chars[i] = rune(c)
			}
			return string(chars)
		}
	}
	return string(data)
}

// bytesOfLatin1 is the opposite; false if a character is no byte.
func bytesOfLatin1(text string) ([]byte, bool) {
	data := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return nil, false
		}
		data = append(data, byte(c))
	}
	return data, true
}
