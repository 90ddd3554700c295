package web

import (
	"reflect"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/scriptrun/scriptrun/runtime/internal/utf8text"
)

var bytesType = reflect.TypeFor[[]byte]()

// decoder is the state of a TextDecoder between the chunks of a stream.
type decoder struct {
	chunk     func(d *decoder, data []byte, stream bool) (any, bool)
	bigEndian bool
	fatal     bool
	keepBOM   bool

	pending []byte // the beginning of a character
	begun   bool   // a byte order mark has had its chance
}

func newDecoder(encoding string, fatal, keepBOM bool) *decoder {
	d := &decoder{fatal: fatal, keepBOM: keepBOM}
	switch encoding {
	case "utf-8":
		d.chunk = (*decoder).utf8
	case "utf-16le":
		d.chunk = (*decoder).utf16
	case "utf-16be":
		d.chunk, d.bigEndian = (*decoder).utf16, true
	default:
		d.chunk = (*decoder).windows1252
	}
	return d
}

// decode decodes a chunk. Without stream, it is the last one. It is false for bytes that are
// wrong, if the decoder is fatal.
func (d *decoder) decode(data []byte, stream bool) (any, bool) {
	text, ok := d.chunk(d, data, stream)
	if !stream || !ok {
		d.begun, d.pending = false, nil
	}
	return text, ok
}

func (d *decoder) utf8(data []byte, stream bool) (any, bool) {
	if len(d.pending) > 0 {
		data = append(d.pending, data...)
		d.pending = nil
	}
	if stream {
		n := len(data) - incomplete(data)
		d.pending = append([]byte(nil), data[n:]...)
		data = data[:n]
	}
	if !d.begun && len(data) > 0 {
		d.begun = true
		if !d.keepBOM && len(data) >= 3 && data[0] == 0xef && data[1] == 0xbb && data[2] == 0xbf {
			data = data[3:]
		}
	}
	if utf8.Valid(data) {
		return string(data), true
	}
	if d.fatal {
		return nil, false
	}
	return string(utf8text.Replace(data)), true
}

// incomplete is how many bytes at the end of data begin a character that may go on.
func incomplete(data []byte) int {
	for n := 1; n <= min(3, len(data)); n++ {
		tail := data[len(data)-n:]
		if tail[0] < 0x80 {
			return 0
		}
		if utf8.RuneStart(tail[0]) {
			if size, whole := utf8text.Sequence(tail); !whole && size == n && 0xc2 <= tail[0] && tail[0] <= 0xf4 {
				return n
			}
			return 0
		}
	}
	return 0
}

func (d *decoder) utf16(data []byte, stream bool) (any, bool) {
	if len(d.pending) > 0 {
		data = append(d.pending, data...)
		d.pending = nil
	}
	units := make([]uint16, 0, len(data)/2+1)
	at := 0
	for ; at+1 < len(data); at += 2 {
		unit := d.unit(data[at:])
		switch {
		case 0xd800 <= unit && unit < 0xdc00:
			if at+3 >= len(data) {
				if stream {
					d.pending = append([]byte(nil), data[at:]...)
					return d.units(units)
				}
			} else if next := d.unit(data[at+2:]); 0xdc00 <= next && next < 0xe000 {
				units = append(units, unit, next)
				at += 2
				continue
			}
			if d.fatal {
				return nil, false
			}
			if at+3 == len(data) { // one mark for all that is left
				return d.units(append(units, 0xfffd))
			}
			unit = 0xfffd
		case 0xdc00 <= unit && unit < 0xe000:
			if d.fatal {
				return nil, false
			}
			unit = 0xfffd
		}
		units = append(units, unit)
	}
	if at < len(data) {
		switch {
		case stream:
			d.pending = append([]byte(nil), data[at:]...)
		case d.fatal:
			return nil, false
		default:
			units = append(units, 0xfffd)
		}
	}
	return d.units(units)
}

func (d *decoder) unit(data []byte) uint16 {
	if d.bigEndian {
		return uint16(data[0])<<8 | uint16(data[1])
	}
	return uint16(data[1])<<8 | uint16(data[0])
}

func (d *decoder) units(units []uint16) (any, bool) {
	if !d.begun && len(units) > 0 {
		d.begun = true
		if units[0] == 0xfeff && !d.keepBOM {
			units = units[1:]
		}
	}
	return goja.StringFromUTF16(units), true
}

// high1252 are the characters of windows-1252 from 0x80 to 0x9f. The web gives those that the
// code page leaves out to the control characters.
const high1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

var runes1252 = []rune(high1252)

func (d *decoder) windows1252(data []byte, _ bool) (any, bool) {
	chars := make([]rune, len(data))
	for i, c := range data {
		if chars[i] = rune(c); 0x80 <= c && c < 0xa0 {
			chars[i] = runes1252[c-0x80]
		}
	}
	return string(chars), true
}
