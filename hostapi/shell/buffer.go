package shell

import "slices"

// buffer keeps the head and the tail of what is written to it, limit bytes in all.
type buffer struct {
	limit int
	head  []byte
	ring  []byte // the tail; once it is full, its oldest byte is at next
	next  int
	total int64
}

func (b *buffer) write(p []byte) {
	b.total += int64(len(p))
	if room := b.limit - b.limit/2 - len(b.head); room > 0 {
		n := min(room, len(p))
		b.head = append(b.head, p[:n]...)
		p = p[n:]
	}
	size := b.limit / 2
	if size == 0 {
		return
	}
	if room := size - len(b.ring); room > 0 {
		n := min(room, len(p))
		b.ring = append(b.ring, p[:n]...)
		p = p[n:]
	}
	if len(p) > size {
		p = p[len(p)-size:]
	}
	for len(p) > 0 {
		n := copy(b.ring[b.next:], p)
		b.next = (b.next + n) % size
		p = p[n:]
	}
}

// shrink lowers the limit. What is beyond it in the middle is dropped.
func (b *buffer) shrink(limit int) {
	if limit >= b.limit {
		return
	}
	kept := b.snapshot(0)
	b.limit, b.next = limit, 0
	first, last := kept.Head, kept.Tail
	if kept.Dropped == 0 {
		all := kept.bytes()
		first = all[:min(limit-limit/2, len(all))]
		last = all[len(first):]
	}
	b.head = slices.Clone(first[:min(limit-limit/2, len(first))])
	b.ring = slices.Clone(last[max(len(last)-limit/2, 0):])
}

// until is up to which byte everything is kept from the first one on, and from which byte on
// everything is kept up to the last one.
func (b *buffer) until() (head, tail int64) {
	head, tail = int64(len(b.head)), b.total-int64(len(b.ring))
	if head == tail {
		return b.total, 0
	}
	return head, tail
}

// appendTo appends bytes from up to to, which must be kept.
func (b *buffer) appendTo(p []byte, from, to int64) []byte {
	if n := int64(len(b.head)); from < n {
		p = append(p, b.head[from:min(to, n)]...)
		from = n
	}
	at := b.total - int64(len(b.ring))
	for _, part := range [][]byte{b.ring[b.next:], b.ring[:b.next]} {
		end := at + int64(len(part))
		if from < min(to, end) {
			p = append(p, part[from-at:min(to, end)-at]...)
			from = min(to, end)
		}
		at = end
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
	c.Head = b.appendTo(nil, since, head)
	c.Tail = b.appendTo(make([]byte, 0, b.total-tail), max(since, tail), b.total)
	return c
}
