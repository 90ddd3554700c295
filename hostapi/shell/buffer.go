package shell

import "slices"

// blockSize is how many bytes a block holds.
const blockSize = 64 << 10

// blocks are what buffers with one limit keep their bytes in. The zero value is ready.
type blocks struct {
	size  int      // of each; zero means blockSize
	spare [][]byte // given back, and empty
}

func (b *blocks) each() int64 {
	if b.size > 0 {
		return int64(b.size)
	}
	return blockSize
}

// take is an empty block. The first of a buffer grows with what it gets, since most commands write little.
func (b *blocks) take(first bool) []byte {
	if n := len(b.spare); n > 0 {
		block := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return block
	}
	if first {
		return nil
	}
	return make([]byte, 0, b.each())
}

func (b *blocks) give(dropped [][]byte) {
	for _, block := range dropped {
		b.spare = append(b.spare, block[:0])
	}
}

// buffer keeps the head and the tail of what is written to it, limit bytes in all and up to a
// block at each side of what was dropped. What is kept is never moved.
type buffer struct {
	limit  int
	total  int64
	blocks *blocks
	first  [][]byte // from the first byte on
	last   [][]byte // from byte lastAt on, once blocks were dropped
	lastAt int64    // zero where none was
}

func newBuffer(limit int, from *blocks) buffer { return buffer{limit: limit, blocks: from} }

func (b *buffer) write(p []byte) {
	for len(p) > 0 {
		block := b.open()
		n := min(int(b.blocks.each())-len(*block), len(p))
		if need := len(*block) + n; need > cap(*block) {
			*block = slices.Grow(*block, min(max(2*need, 512), int(b.blocks.each()))-len(*block))
		}
		*block = append(*block, p[:n]...)
		p = p[n:]
		b.total += int64(n)
		b.drop()
	}
}

// open is the block that is written to.
func (b *buffer) open() *[]byte {
	list := &b.first
	if b.lastAt > 0 {
		list = &b.last
	}
	if n := len(*list); n == 0 || int64(len((*list)[n-1])) == b.blocks.each() {
		*list = append(*list, b.blocks.take(b.total == 0))
	}
	return &(*list)[len(*list)-1]
}

// shrink lowers the limit. What is beyond it in the middle is dropped.
func (b *buffer) shrink(limit int) {
	if limit < b.limit {
		b.limit = limit
		b.drop()
	}
}

// drop gives back the blocks of which nothing is kept.
func (b *buffer) drop() {
	head, tail := b.until()
	if tail == 0 {
		return
	}
	size := b.blocks.each()
	from, to := (head+size-1)/size, tail/size // the first block that is not wanted, and the next that is
	if b.lastAt == 0 {
		if from >= to {
			return
		}
		b.last, b.lastAt = b.first[to:], to*size
		b.blocks.give(b.first[from:to])
		b.first = slices.Clone(b.first[:from])
		return
	}
	if from < int64(len(b.first)) {
		b.blocks.give(b.first[from:])
		b.first = b.first[:from]
	}
	if n := to - b.lastAt/size; n > 0 {
		b.blocks.give(b.last[:n])
		b.last, b.lastAt = b.last[n:], to*size
	}
}

// until is up to which byte everything is kept from the first one on, and from which byte on
// everything is kept up to the last one.
func (b *buffer) until() (head, tail int64) {
	limit := int64(b.limit)
	if b.total <= limit {
		return b.total, 0
	}
	return limit - limit/2, b.total - limit/2
}

// block is what is kept from byte at on, up to the end of its block.
func (b *buffer) block(at int64) []byte {
	list, size := b.first, b.blocks.each()
	from := at
	if b.lastAt > 0 && at >= b.lastAt {
		list, from = b.last, at-b.lastAt
	}
	return list[from/size][from%size:]
}

// appendTo appends bytes from up to to, which must be kept.
func (b *buffer) appendTo(p []byte, from, to int64) []byte {
	for from < to {
		part := b.block(from)
		part = part[:min(int64(len(part)), to-from)]
		p = append(p, part...)
		from += int64(len(part))
	}
	return p
}

// snapshot copies what is kept from byte since on, in one piece if nothing was dropped.
func (b *buffer) snapshot(since int64) Captured {
	since = min(max(since, 0), b.total)
	head, tail := b.until()
	c := Captured{Total: b.total, Since: since, Dropped: max(tail-max(since, head), 0)}
	if c.Dropped == 0 {
		c.Head = b.appendTo(make([]byte, 0, b.total-since), since, b.total)
		return c
	}
	if since < head {
		c.Head = b.appendTo(make([]byte, 0, head-since), since, head)
	}
	c.Tail = b.appendTo(make([]byte, 0, b.total-max(since, tail)), max(since, tail), b.total)
	return c
}
