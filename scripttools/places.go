package scripttools

import (
	"bytes"
	"unicode/utf8"
)

// places turns byte offsets of a header into places of its file. Offsets that grow
// cost no more than one walk over the block.
type places struct {
	block  []byte
	first  int // the file's line of the block's first line
	offset int // of now
	now    place
}

func newPlaces(block []byte, first int) places {
	return places{block: block, first: first, now: place{first, 1}}
}

func (p *places) place(offset int) place {
	if offset < p.offset {
		p.offset, p.now = 0, place{p.first, 1}
	}
	for p.offset < min(offset, len(p.block)) {
		r, size := utf8.DecodeRune(p.block[p.offset:])
		p.offset += size
		p.now.col++
		if r == '\n' {
			p.now = place{p.now.line + 1, 1}
		}
	}
	return p.now
}

// lineStart is the offset at which a line of a block begins, counted from 1.
func lineStart(block []byte, line int) (at int) {
	for ; line > 1; line-- {
		at += bytes.IndexByte(block[at:], '\n') + 1
	}
	return at
}
