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

// clone is a copy that is written to by itself.
func (b *buffer) clone() buffer {
	c := *b
	c.head, c.ring = slices.Clone(b.head), slices.Clone(b.ring)
	return c
}

// snapshot copies what is kept from byte since on, in one piece if nothing was dropped.
func (b *buffer) snapshot(since int64) Captured {
	since = min(max(since, 0), b.total)
	tailAt := b.total - int64(len(b.ring))
	head := b.head[min(since, int64(len(b.head))):]
	from := max(since-tailAt, 0) // in the tail
	old, young := b.ring[b.next:], b.ring[:b.next]
	old, young = old[min(from, int64(len(old))):], young[max(from-int64(len(old)), 0):]
	c := Captured{Total: b.total, Since: since, Dropped: max(tailAt-max(since, int64(len(b.head))), 0)}
	if c.Dropped == 0 {
		c.Head = slices.Concat(head, old, young)
		return c
	}
	c.Head, c.Tail = slices.Clone(head), slices.Concat(old, young)
	return c
}
