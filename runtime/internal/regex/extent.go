package regex

// span is the run of an instruction that was tried last: it began at start and came to far,
// and from low on the program went on everywhere.
type span struct{ start, low, far int32 }

// extent finds how short and how long a run from a position on may be.
func (r *run[T]) extent(in *inst, pos int) (near, far int, possible bool) {
	near = r.shortest(in, pos)
	if len(r.memo) > 0 && in.memo >= 0 && in.max == hugeNumber {
		return r.extentAfter(&r.spans[in.memo], in, pos, near)
	}
	stop := len(r.s)
	if in.max != hugeNumber {
		stop = r.longest(in, pos)
	}
	far = r.scan(in, pos, stop)
	return near, far, far >= near
}

// shortest is where a run of the fewest characters ends, whatever they are.
func (r *run[T]) shortest(in *inst, pos int) int {
	if !in.point {
		return pos + int(in.min)
	}
	return r.points(pos, int(in.min))
}

// longest is where a run of the most characters ends.
func (r *run[T]) longest(in *inst, pos int) int {
	if in.point {
		return min(r.points(pos, int(in.max)), len(r.s))
	}
	if int(in.max) < len(r.s)-pos {
		return pos + int(in.max)
	}
	return len(r.s)
}

// points is the position after a number of code points, beyond the text if it has fewer.
func (r *run[T]) points(pos, count int) int {
	for ; count > 0; count-- {
		if pos >= len(r.s) {
			return len(r.s) + 1
		}
		_, n := pointAt(r.s, pos)
		pos += n
	}
	return pos
}

// scan finds where characters of a class end.
func (r *run[T]) scan(in *inst, pos, stop int) int {
	at, class := pos, in.class
	if in.point {
		for at < stop {
			c, n := pointAt(r.s, at)
			if !class.has(c) {
				break
			}
			at += n
		}
	} else {
		for _, unit := range r.s[pos:stop] {
			c := rune(unit)
			if c < 256 {
				if class.low[c>>6]>>(c&63)&1 == 0 {
					break
				}
			} else if !class.hasHigh(c) {
				break
			}
			at++
		}
	}
	r.steps += (at - pos) >> 3
	return at
}

// extentAfter is extent where it is known what the last run of the instruction was. That
// saves looking at the characters again. A greedy run that comes to the same end need not go
// on where that one did, which failed.
func (r *run[T]) extentAfter(last *span, in *inst, pos, near int) (_, far int, possible bool) {
	if int(last.start) <= pos && pos <= int(last.far) {
		far = int(last.far)
	} else {
		stop := len(r.s)
		if pos < int(last.start) {
			stop = int(last.start)
		}
		far = r.scan(in, pos, stop)
		if far == int(last.start) && pos < far {
			far = int(last.far)
		}
	}
	same := far == int(last.far) && last.start >= 0
	if in.lazy || r.looks > 0 || far < near {
		if last.start = min(last.start, int32(pos)); !same {
			*last = span{start: int32(pos), low: int32(far) + 1, far: int32(far)}
		}
		return near, far, far >= near
	}
	tried := near // from here on this run will have gone on
	if in.min == 0 && !r.progressed(in.memo, pos) {
		tried++ // going on where a loop began depends on where it began
	}
	if !same {
		*last = span{start: int32(pos), low: int32(tried), far: int32(far)}
		return near, far, true
	}
	low := int(last.low)
	last.start, last.low = min(last.start, int32(pos)), min(last.low, int32(tried))
	switch {
	case near >= low:
		return near, far, false
	case far >= low:
		far = max(r.before(in, low), near)
	}
	return near, far, true
}

// before is the end of a run that is one character shorter.
func (r *run[T]) before(in *inst, pos int) int {
	if !in.point {
		return pos - 1
	}
	_, n := pointBefore(r.s, pos)
	return pos - n
}
