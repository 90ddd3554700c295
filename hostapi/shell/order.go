package shell

import "encoding/binary"

// order is in which order the bytes of two streams came: those of the first runs, and those of
// the last ones, as far back as any of them can be kept. A run is what came of one stream
// without a break.
type order struct {
	cover       int64 // how many bytes the first runs hold at least, and the last ones
	first, last []byte
	begun, left int64 // how many bytes those are
	open        run   // the latest; it is in neither yet
}

// run is a number of bytes of a stream.
type run struct {
	of    int // 0 for stdout, 1 for stderr
	bytes int64
}

func (o *order) add(of int, n int64) {
	if o.open.of == of {
		o.open.bytes += n
		return
	}
	if o.open.bytes > 0 {
		o.close()
	}
	o.open = run{of, n}
}

// close ends the latest run. Runs are kept as numbers of few bytes: there may be one for every
// byte of output.
func (o *order) close() {
	number := uint64(o.open.bytes)<<1 | uint64(o.open.of) //nolint:gosec // neither is below zero
	if o.begun < o.cover {
		o.first = binary.AppendUvarint(o.first, number)
		o.begun += o.open.bytes
	}
	o.last = binary.AppendUvarint(o.last, number)
	o.left += o.open.bytes
	for {
		oldest, size := decodeRun(o.last)
		if o.left-oldest.bytes < o.cover {
			return
		}
		o.left -= oldest.bytes
		o.last = o.last[size:]
	}
}

// decodeRun reads the first run of p.
func decodeRun(p []byte) (r run, size int) {
	number, size := binary.Uvarint(p)
	return run{int(number & 1), int64(number >> 1)}, size //nolint:gosec // as in close
}

// lastRun is where the last run of p begins.
func lastRun(p []byte) (at int) {
	for at = len(p) - 1; at > 0 && p[at-1] >= 0x80; at-- { // a number ends with a byte below that
	}
	return at
}

// merged is what the streams wrote, in order, from byte since of both on, as far as they keep it.
func (o *order) merged(streams [2]*buffer, since int64) Captured {
	c := Captured{Total: streams[0].total + streams[1].total}
	c.Since = min(max(since, 0), c.Total)
	head := o.beginning(&c, streams)
	o.end(&c, streams, max(head, c.Since))
	return c
}

// beginning fills c.Head, up to where one of the streams has dropped something, and returns
// how many bytes of both that is.
func (o *order) beginning(c *Captured, streams [2]*buffer) (head int64) {
	var at [2]int64
	for rest := o.first; ; {
		r, size := o.open, 0
		if len(rest) > 0 {
			r, size = decodeRun(rest)
		} else if head != c.Total-o.open.bytes {
			return head // runs are missing between the first ones and the latest
		}
		rest = rest[size:]
		whole, _ := streams[r.of].until()
		n := min(r.bytes, whole-at[r.of])
		if skip := max(c.Since-head, 0); skip < n {
			c.Head = streams[r.of].appendTo(c.Head, at[r.of]+skip, at[r.of]+n)
		}
		at[r.of] += n
		if head += n; n < r.bytes || size == 0 {
			return head
		}
	}
}

// end fills c.Tail, from the end back to where one of the streams has dropped something, or to
// byte from of both. It belongs to c.Head where nothing is between.
func (o *order) end(c *Captured, streams [2]*buffer, from int64) {
	at := [2]int64{streams[0].total, streams[1].total}
	tail, begin := c.Total, len(o.last) // where it begins, and its first run; the latest is behind the others
	var first int64                     // how much of that run is in it
	for r := o.open; tail > from; {
		_, kept := streams[r.of].until()
		first = min(r.bytes, at[r.of]-kept, tail-from)
		at[r.of] -= first
		if tail -= first; first < r.bytes || begin == 0 || tail == from {
			break
		}
		begin = lastRun(o.last[:begin])
		r, _ = decodeRun(o.last[begin:])
	}
	into := &c.Tail
	if c.Dropped = tail - from; c.Dropped <= 0 {
		c.Dropped, into = 0, &c.Head
	}
	for rest, n := o.last[begin:], first; ; n = -1 {
		r, size := o.open, 0
		if len(rest) > 0 {
			r, size = decodeRun(rest)
		}
		if n < 0 { // it is not the first one
			n = r.bytes
		}
		*into = streams[r.of].appendTo(*into, at[r.of], at[r.of]+n)
		if at[r.of] += n; size == 0 {
			return
		}
		rest = rest[size:]
	}
}
