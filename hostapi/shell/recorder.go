package shell

import (
	"cmp"
	"crypto/rand"
	"sync"
)

// recorder captures the two streams of a command, each by itself and both in the order of
// reading. As long as only one has been written to, it is both. It holds an incomplete character back until the rest is read or the stream
// ends: no snapshot has half of it, and no other stream comes between its bytes.
type recorder struct {
	mu                   sync.Mutex
	both, stdout, stderr stream
	only                 *stream // the one that was written to; nil for none, and for two
	spill                *spill  // nil for none
	looks                looks
	grown                chan struct{} // closed and replaced when there is more
	waited               bool          // somebody waits for grown
	watch                func(stream string, p []byte)
}

// stream is what is kept of one stream.
type stream struct {
	buffer
	name string
	file file
	half []byte // an incomplete character
}

func newRecorder(limits Limits, watch func(stream string, p []byte)) *recorder {
	limit := limits.outputBytes()
	b := buffer{limit: int(limit)}
	r := &recorder{
		both: stream{buffer: b}, stdout: stream{buffer: b, name: "stdout"}, stderr: stream{buffer: b, name: "stderr"},
		grown: make(chan struct{}), watch: watch,
	}
	if limits.SpillDir != "" {
		r.spill = newSpill(limits)
	}
	return r
}

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
		if !r.spill.began && r.all().total+int64(len(p)) > int64(r.both.limit) {
			r.spill.began = true
			for _, s := range []*stream{&r.stdout, &r.stderr} { // nothing is dropped yet
				r.spill.write(&s.file, "."+s.name, s.snapshot(0).bytes())
			}
		}
		if r.spill.began {
			r.spill.write(&to.file, "."+to.name, p)
		}
	}
	switch {
	case r.all().total == 0:
		r.only = to
	case r.only != nil && r.only != to:
		r.both.buffer, r.only = r.only.clone(), nil
	}
	to.write(p)
	if r.only == nil {
		r.both.write(p)
	}
	if r.watch != nil {
		r.watch(to.name, p)
	}
	r.tell()
}

// all is what is kept of both streams, with r.mu held.
func (r *recorder) all() *buffer {
	if r.only != nil {
		return &r.only.buffer
	}
	return &r.both.buffer
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
	if r.all().total > since {
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
}

func (r *recorder) snapshot(since int64) Output {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.looks.at(since)
	r.looks.add(lengths{r.all().total, r.stdout.total, r.stderr.total})
	out := Output{Both: r.all().snapshot(since)}
	take := func(s *stream, from int64) Captured {
		if s == r.only && from == since {
			return out.Both
		}
		return s.snapshot(from)
	}
	out.Stdout, out.Stderr = take(&r.stdout, from.stdout), take(&r.stderr, from.stderr)
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
