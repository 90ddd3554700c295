package regex

import "math/bits"

// shorter finds the next end of a greedy run: before pos, and not before far. more says that
// there may be others.
func (r *run[T]) shorter(in *inst, pos, far int) (next int, more bool) {
	for pos > far {
		pos = r.before(in, pos)
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
			pos = r.points(pos, 1)
		} else {
			pos++
		}
		if in.follow < 0 || pos < len(r.s) && int32(r.s[pos]) == in.follow {
			if len(r.memo) > 0 && in.memo >= 0 && pos < far && !in.point && r.skip(in.memo, &pos) {
				continue
			}
			return pos, pos < far
		}
	}
	return -1, false
}

// skip goes to the last of up to 64 positions where the program went on already. It reports
// whether this is one.
func (r *run[T]) skip(memo int32, pos *int) bool {
	bit := int(memo)*(len(r.s)+1) + *pos
	ones := bits.TrailingZeros64(^(r.memo[bit>>6] >> (bit & 63)))
	if ones == 0 {
		return false
	}
	*pos += min(ones, 64-bit&63) - 1
	return true
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
	points := r.p.flags.CodePoints()
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
