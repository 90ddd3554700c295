package shell

import (
	"cmp"
	"crypto/rand"
	"sync"
)

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
	both, stdout, stderr stream
	spill                *spill // nil for none
}

// stream is what is kept of one stream.
type stream struct {
	buffer
	file      file
	extension string
}

func newRecorder(limits Limits) *recorder {
	limit := limits.OutputBytes
	if limit == 0 {
		limit = defaultOutputBytes
	}
	b := buffer{limit: int(limit)}
	r := &recorder{both: stream{buffer: b}, stdout: stream{buffer: b, extension: ".stdout"}, stderr: stream{buffer: b, extension: ".stderr"}}
	if limits.SpillDir != "" {
		r.spill = newSpill(limits)
	}
	return r
}

func newSpill(limits Limits) *spill {
	return &spill{dir: limits.SpillDir, name: rand.Text()[:12], room: cmp.Or(limits.SpillBytes, defaultSpillBytes)}
}

// write records p as part of one of the recorder's own streams.
func (r *recorder) write(to *stream, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spill != nil {
		if !r.spill.began && r.both.total+int64(len(p)) > int64(r.both.limit) {
			r.spill.began = true
			for _, s := range []*stream{&r.stdout, &r.stderr} { // nothing was dropped so far
				r.spill.write(&s.file, s.extension, s.snapshot(0).bytes())
			}
		}
		if r.spill.began {
			r.spill.write(&to.file, to.extension, p)
		}
	}
	to.write(p)
	r.both.write(p)
}

// end closes the files; nothing is recorded any more.
func (r *recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range []*stream{&r.stdout, &r.stderr} {
		if err := s.file.close(); err != nil && r.spill.err == nil {
			r.spill.err = err
		}
	}
}

func (r *recorder) snapshot(since int64) Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := Output{Both: r.both.snapshot(since), Stdout: r.stdout.snapshot(0), Stderr: r.stderr.snapshot(0)}
	out.Stdout.File, out.Stderr.File = r.stdout.file.path, r.stderr.file.path
	if r.spill != nil {
		out.SpillErr = r.spill.err
	}
	return out
}
