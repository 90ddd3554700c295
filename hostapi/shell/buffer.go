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

// snapshot copies what is kept from byte since on.
func (b *buffer) snapshot(since int64) Captured {
	since = min(max(since, 0), b.total)
	tail := slices.Concat(b.ring[b.next:], b.ring[:b.next])
	tailAt := b.total - int64(len(tail))
	return Captured{
		Head:    append([]byte(nil), b.head[min(since, int64(len(b.head))):]...),
		Tail:    tail[max(since-tailAt, 0):],
		Total:   b.total,
		Since:   since,
		Dropped: max(tailAt-max(since, int64(len(b.head))), 0),
	}
}
