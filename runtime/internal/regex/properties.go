package regex

import (
	"bytes"
	_ "embed" // the tables
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
)

// UnicodeVersion is that of the tables, which tables/generate.mjs writes.
const UnicodeVersion = "17.0.0"

//go:embed tables/unicode.bin
var unicodeTables []byte

// property is a table of the Unicode Character Database. It is read when it is first used.
type property struct {
	sequences bool
	union     []*property // of which it consists, if it has no table of its own
	bytes     []byte

	once    sync.Once
	members set
	strings [][]rune // longer than one code point
}

// propertyIndex has the tables by kind and name, such as "gc=Lu" and "binary=Alpha".
var propertyIndex = sync.OnceValue(func() map[string]*property {
	head, blob, _ := bytes.Cut(unicodeTables, []byte("\n\n"))
	index := map[string]*property{}
	emoji := &property{sequences: true}
	for line := range strings.Lines(string(head)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		names := strings.Fields(fields[0])
		at, _ := strconv.Atoi(fields[1])
		length, _ := strconv.Atoi(fields[2])
		p := &property{bytes: blob[at : at+length], sequences: names[0] == "sequences"}
		for _, name := range names[1:] {
			index[names[0]+"="+name] = p
		}
		if p.sequences {
			emoji.union = append(emoji.union, p)
		}
	}
	index["sequences=RGI_Emoji"] = emoji
	return index
})

// findProperty finds what \p{name} or \p{name=value} means. Properties of strings are there
// only with flag v.
func findProperty(name, value string, valued bool, flags Flags) *property {
	index := propertyIndex()
	if !valued {
		if p := index["gc="+name]; p != nil {
			return p
		}
		if p := index["binary="+name]; p != nil || flags&UnicodeSets == 0 {
			return p
		}
		return index["sequences="+name]
	}
	switch name {
	case "General_Category", "gc":
		return index["gc="+value]
	case "Script", "sc":
		return index["sc="+value]
	case "Script_Extensions", "scx":
		return index["scx="+value]
	}
	return nil
}

func (p *property) read() {
	p.once.Do(func() {
		if p.union != nil {
			for _, part := range p.union {
				part.read()
				p.members = union(p.members, part.members)
				p.strings = append(p.strings, part.strings...)
			}
			return
		}
		b := p.bytes
		if !p.sequences {
			p.members = readRanges(b)
			return
		}
		next := func() int {
			n, size := binary.Uvarint(b)
			b = b[size:]
			return int(n)
		}
		length := next()
		p.members, b = readRanges(b[:length]), b[length:]
		p.strings = make([][]rune, next())
		for i := range p.strings {
			p.strings[i] = make([]rune, next())
			for j := range p.strings[i] {
				p.strings[i][j] = rune(next())
			}
		}
	})
}

// set returns the single code points.
func (p *property) set() set {
	p.read()
	return p.members
}

func readRanges(b []byte) set {
	var out set
	last := rune(0)
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		length, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		out = append(out, last+rune(gap), last+rune(gap)+rune(length))
		last += rune(gap) + rune(length) + 1
	}
	return out
}

// readCases reads what code points map to.
func readCases(name string) map[rune]rune {
	b := propertyIndex()[name].bytes
	out := make(map[rune]rune, 1600)
	last := rune(0)
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		zigzag, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		last += rune(gap)
		d := rune(zigzag >> 1)
		if zigzag&1 != 0 {
			d = -d - 1
		}
		out[last] = last + d
	}
	return out
}
