package cases

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// width is how long a line of a file of cases is, if what is in it has parts.
const width = 120

// laidOut is a JSON text as people write it: what fits on a line is on one.
func laidOut(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var b bytes.Buffer
	read(d).write(&b, 0, 0)
	b.WriteByte('\n')
	return b.Bytes()
}

// part is a value of a JSON text, with its keys in their order.
type part struct {
	key   string // in quotes, with a colon; empty in a list
	text  string // of what has no parts
	open  string // else { or [
	parts []part
	long  int // how long it is on one line
}

func read(d *json.Decoder) (p part) {
	token, _ := d.Token() // it is JSON
	delim, nested := token.(json.Delim)
	if !nested {
		text, _ := encode(token)
		p.text, p.long = string(text), utf8.RuneCount(text)
		return p
	}
	p.open = delim.String()
	for d.More() {
		key := ""
		if delim == '{' {
			name, _ := d.Token()
			text, _ := encode(name)
			key = string(text) + ": "
		}
		one := read(d)
		one.key = key
		p.parts = append(p.parts, one)
		p.long += utf8.RuneCountInString(key) + one.long + len(", ")
	}
	_, _ = d.Token()
	p.long += len("{}")
	return p
}

// write writes the value in a line whose first used columns are taken, or in several.
func (p part) write(b *bytes.Buffer, level, used int) {
	b.WriteString(p.key)
	used += utf8.RuneCountInString(p.key)
	if p.open == "" {
		b.WriteString(p.text)
		return
	}
	inline := used+p.long <= width
	begin, separator, end := "", ", ", ""
	if !inline {
		begin, end = "\n"+strings.Repeat("  ", level+1), "\n"+strings.Repeat("  ", level)
		separator = "," + begin
	}
	b.WriteString(p.open)
	for i, one := range p.parts {
		if i > 0 {
			b.WriteString(separator)
		} else {
			b.WriteString(begin)
		}
		one.write(b, level+1, 2*(level+1))
	}
	b.WriteString(end)
	b.WriteString(map[string]string{"{": "}", "[": "]"}[p.open])
}
