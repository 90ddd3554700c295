package shell

import (
	"cmp"
	"crypto/rand"
	"sync"
)

// recorder captures the two streams of a command, each by itself and both in the order of
// reading, within one limit: what one stream does not need is the other's. It holds an
// incomplete character back until the rest is read or the stream ends: no snapshot has half of
// it, and no other stream comes between its bytes.
type recorder struct {
	mu             sync.Mutex
	limit          int
	blocks         blocks
	stdout, stderr stream
	order          order
	spill          *spill // nil for none
	looks          looks
	grown          chan struct{} // closed and replaced when there is more
	waited         bool          // somebody waits for grown
	watch          func(stream string, p []byte)
}

// stream is what is kept of one stream.
type stream struct {
	buffer
	name string
	file file
	half []byte // an incomplete character
}

func newRecorder(limits Limits, watch func(stream string, p []byte)) *recorder {
	limit := int(limits.outputBytes())
	r := &recorder{
		limit: limit, order: order{cover: int64(limit + share(limit))},
		grown: make(chan struct{}), watch: watch,
	}
	b := newBuffer(limit, &r.blocks)
	r.stdout, r.stderr = stream{buffer: b, name: "stdout"}, stream{buffer: b, name: "stderr"}
	if limits.SpillDir != "" {
		r.spill = newSpill(limits)
	}
	return r
}

// share is by how much the room of a stream changes at once.
func share(limit int) int { return max(limit/16, 1) }

func newSpill(limits Limits) *spill {
	return &spill{dir: limits.SpillDir, name: rand.Text()[:12], room: cmp.Or(limits.SpillBytes, defaultSpillBytes)}
}

// write records what was read from one of the recorder's streams.
func (r *recorder) write(to *stream, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(to.half) > 0 {
		p, to.half = append(to.half, p...), nil
	}
	whole := trimEnd(p)
	if len(whole) < len(p) {
		to.half = append([]byte(nil), p[len(whole):]...)
	}
	r.record(to, whole)
}

// record takes whole characters, with r.mu held.
func (r *recorder) record(to *stream, p []byte) {
	if len(p) == 0 {
		return
	}
	if r.spill != nil {
		if !r.spill.began && r.total()+int64(len(p)) > int64(r.limit) {
			r.spill.began = true
			for _, s := range []*stream{&r.stdout, &r.stderr} { // nothing is dropped yet
				for at := int64(0); at < s.total; {
					part := s.block(at)
					r.spill.write(&s.file, "."+s.name, part)
					at += int64(len(part))
				}
			}
		}
		if r.spill.began {
			r.spill.write(&to.file, "."+to.name, p)
		}
	}
	to.write(p)
	other, of := &r.stderr, 0
	if to == other {
		other, of = &r.stdout, 1
	}
	r.order.add(of, int64(len(p)))
	taken := int(min(to.total, int64(r.limit))) / share(r.limit) * share(r.limit)
	other.shrink(max(r.limit/2, r.limit-taken))
	if r.watch != nil {
		r.watch(to.name, p)
	}
	r.tell()
}

// total is how many bytes came, with r.mu held.
func (r *recorder) total() int64 { return r.stdout.total + r.stderr.total }

// kept is how many bytes a snapshot from byte since on has of both streams, at most.
func (r *recorder) kept(since int64) (bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range []*stream{&r.stdout, &r.stderr} {
		bytes += min(s.total, int64(s.limit))
	}
	return max(min(bytes, r.total()-since), 0)
}

// tell wakes whoever waits, with r.mu held.
func (r *recorder) tell() {
	if r.waited {
		close(r.grown)
		r.grown, r.waited = make(chan struct{}), false
	}
}

// more is closed once there is output after byte since of both streams; nil if there
// already is.
func (r *recorder) more(since int64) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.total() > since {
		return nil
	}
	r.waited = true
	return r.grown
}

// end closes the files; nothing is recorded any more.
func (r *recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range []*stream{&r.stdout, &r.stderr} {
		half := s.half
		s.half = nil
		r.record(s, half)
		if err := s.file.close(); err != nil && r.spill.err == nil {
			r.spill.err = err
		}
	}
	r.blocks.spare = nil
}

func (r *recorder) snapshot(since int64) Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := lengths{r.total(), r.stdout.total, r.stderr.total}
	from := now
	if since < now.both {
		from = r.looks.at(since)
	}
	r.looks.add(now)
	out := Output{Stdout: r.stdout.snapshot(from.stdout), Stderr: r.stderr.snapshot(from.stderr)}
	switch {
	case now.both == now.stdout && from.both == since:
		out.Both = out.Stdout
	case now.both == now.stderr && from.both == since:
		out.Both = out.Stderr
	default:
		out.Both = r.order.merged([2]*buffer{&r.stdout.buffer, &r.stderr.buffer}, since)
	}
	out.Stdout.File, out.Stderr.File = r.stdout.file.path, r.stderr.file.path
	if r.spill != nil {
		out.SpillErr = r.spill.err
	}
	return out
}

// lengths is how long the streams were at one snapshot.
type lengths struct{ both, stdout, stderr int64 }

// looks are the lengths at the latest snapshots, in order. They translate a position in
// both streams together into one in each.
type looks struct{ seen []lengths }

// maxLooks is how many are kept, about 24 KiB.
const maxLooks = 1024

func (l *looks) add(now lengths) {
	if n := len(l.seen); n > 0 && l.seen[n-1] == now {
		return
	}
	if len(l.seen) == maxLooks {
		l.seen = append(l.seen[:0], l.seen[maxLooks/2:]...)
	}
	l.seen = append(l.seen, now)
}

// at is the last snapshot that ended at since or before.
func (l *looks) at(since int64) (last lengths) {
	for _, seen := range l.seen {
		if seen.both > since {
			break
		}
		last = seen
	}
	return last
}
