package regex

// extent finds how short and how long a run from a position on may be.
func (r *run[T]) extent(in *inst, pos int) (near, far int, possible bool) {
	s := r.s
	remembering := len(r.memo) > 0 && in.memo >= 0 && !in.lazy && r.looks == 0 && in.max == hugeNumber
	if remembering {
		if last := r.spans[in.memo]; last.from <= int32(pos) && int32(pos) <= last.to {
			return 0, 0, false // it went to the same end from before here, and failed
		}
	}
	far = pos
	if in.point {
		near, far, possible = r.extentOfPoints(in, pos)
	} else {
		stop := len(s)
		if int(in.max) < stop-pos {
			stop = pos + int(in.max)
		}
		class := in.class
		for far < stop {
			c := rune(s[far])
			if c < 256 {
				if class.low[c>>6]>>(c&63)&1 == 0 {
					break
				}
			} else if !class.hasHigh(c) {
				break
			}
			far++
		}
		near, possible = pos+int(in.min), far-pos >= int(in.min)
	}
	r.steps += (far - pos) >> 3
	if remembering && possible && r.progressed(in.memo, pos) {
		r.spans[in.memo] = span{from: int32(pos), to: int32(far)}
	}
	return near, far, possible
}

// extentOfPoints is extent for code points.
func (r *run[T]) extentOfPoints(in *inst, pos int) (near, far int, possible bool) {
	far = pos
	count := 0
	if in.min == 0 {
		near = pos
	}
	for far < len(r.s) && count < int(in.max) {
		c, n := pointAt(r.s, far)
		if !in.class.has(c) {
			break
		}
		far += n
		if count++; count == int(in.min) {
			near = far
		}
	}
	return near, far, count >= int(in.min)
}

// shorter finds the next end of a greedy run: before pos, and not before far. more says that
// there may be others.
func (r *run[T]) shorter(in *inst, pos, far int) (next int, more bool) {
	for pos > far {
		if in.point {
			_, n := pointBefore(r.s, pos)
			pos -= n
		} else {
			pos--
		}
		if in.follow < 0 || pos < len(r.s) && int32(r.s[pos]) == in.follow {
			return pos, pos > far
		}
	}
	return -1, false
}

// longer finds the next end of a lazy run: after pos, and not after far.
func (r *run[T]) longer(in *inst, pos, far int) (next int, more bool) {
	for pos < far {
		if in.point {
			_, n := pointAt(r.s, pos)
			pos += n
		} else {
			pos++
		}
		if in.follow < 0 || pos < len(r.s) && int32(r.s[pos]) == in.follow {
			return pos, pos < far
		}
	}
	return -1, false
}

// may reports whether a part that begins with what the hint says can match at a position.
func (r *run[T]) may(h *hint, pos int) bool {
	if h.any {
		return true
	}
	if pos < len(r.s) {
		return h.has(uint16(r.s[pos]))
	}
	return h.end
}

// look runs what is inside of a look-around. What it would try later is forgotten, what
// it captured stays.
func (r *run[T]) look(pc, pos int) bool {
	base, trail := len(r.stack), len(r.m.trail)
	negative := r.p.code[pc-1].negative
	r.looks++
	_, ok := r.match(pc, pos)
	r.looks--
	if !ok {
		if r.looks == 0 {
			r.m.trail = r.m.trail[:0]
		}
		return false
	}
	if len(r.memo) > 0 {
		r.forget(trail)
	}
	kept := base
	for i := base; i < len(r.stack); i++ {
		if r.stack[i].kind == entryUndo {
			r.stack[kept] = r.stack[i]
			kept++
		}
	}
	r.stack = r.stack[:kept]
	if negative { // nothing is captured in it
		for ; len(r.stack) > base; r.stack = r.stack[:len(r.stack)-1] {
			e := r.stack[len(r.stack)-1]
			r.regs[e.pc] = e.pos
		}
	}
	return true
}

// reference matches what a group captured again. It returns the position after it, or -1.
func (r *run[T]) reference(in *inst, pos int) int {
	from, to := -1, -1
	for _, group := range in.refs {
		if r.regs[2*group] >= 0 && r.regs[2*group+1] >= 0 {
			from, to = int(r.regs[2*group]), int(r.regs[2*group+1])
			break
		}
	}
	length := to - from
	if from < 0 || length == 0 {
		return pos
	}
	begin, next := pos, pos+length
	if in.back {
		begin, next = pos-length, pos-length
	}
	if begin < 0 || begin+length > len(r.s) {
		return -1
	}
	a, b := r.s[from:to], r.s[begin:begin+length]
	r.steps += length >> 3
	if in.ignoreCase {
		if !r.sameText(a, b) {
			return -1
		}
		return next
	}
	for i := range a {
		if a[i] != b[i] {
			return -1
		}
	}
	return next
}

// sameText compares while ignoring case. What folds to each other has the same number of
// units.
func (r *run[T]) sameText(a, b []T) bool {
	points := r.p.flags.codePoints()
	for i := 0; i < len(a); {
		c, d, n := rune(a[i]), rune(b[i]), 1
		if points {
			var m int
			c, n = pointAt(a, i)
			if d, m = pointAt(b, i); n != m {
				return false
			}
		}
		if c != d && !sameLetter(c, d, r.p.flags) {
			return false
		}
		i += n
	}
	return true
}

func sameLetter(c, d rune, f Flags) bool {
	if c < 0x80 && d < 0x80 {
		return c|0x20 == d|0x20 && isLetter(c)
	}
	table := casingOf(f)
	return table.canonical(c) == table.canonical(d)
}
