package shell

import "sync"

// buffer keeps the head and the tail of what is written to it, limit bytes in
// all, in memory that does not grow beyond that.
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

// snapshot copies what is there from byte since on.
func (b *buffer) snapshot(since int64) Captured {
	since = min(max(since, 0), b.total)
	tail := append(append([]byte(nil), b.ring[b.next:]...), b.ring[:b.next]...)
	tailAt := b.total - int64(len(tail))
	return Captured{
		Head:    append([]byte(nil), b.head[min(since, int64(len(b.head))):]...),
		Tail:    tail[max(since-tailAt, 0):],
		Total:   b.total,
		Dropped: max(tailAt-max(since, int64(len(b.head))), 0),
	}
}

// recorder captures the two streams of a command, each on its own and both as
// they came.
type recorder struct {
	mu                   sync.Mutex
	both, stdout, stderr buffer
}

func newRecorder(limit int64) *recorder {
	if limit == 0 {
		limit = defaultOutputBytes
	}
	b := buffer{limit: int(limit)}
	return &recorder{both: b, stdout: b, stderr: b}
}

// write records p as part of one of the recorder's own streams.
func (r *recorder) write(stream *buffer, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stream.write(p)
	r.both.write(p)
}

func (r *recorder) snapshot(since int64) Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Output{Both: r.both.snapshot(since), Stdout: r.stdout.snapshot(0), Stderr: r.stderr.snapshot(0)}
}
