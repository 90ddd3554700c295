package regex

import (
	"bytes"
	"slices"
)

const (
	// maxStack bounds what a match may try later, in entries of 16 bytes.
	maxStack = 1 << 22
	// maxMemo bounds what a match remembers, in words of 64 positions.
	maxMemo = 1 << 22
	// keptStack and keptMemo are what a matcher keeps for the next match.
	keptStack = 1 << 14
	keptMemo  = 1 << 14
	// patience is how many steps a match may fail before it asks whether to stop.
	patience = 1 << 12
)

// Matcher matches programs. It is for one goroutine at a time; its zero value is ready.
type Matcher struct {
	// Stop, if not nil, is asked every some thousand steps whether to give up.
	Stop func() bool

	ascii []byte // the text, unless it is wide
	steps int    // since it asked whether to stop, of all matches
	stack []entry
	regs  []int32
	memo  []uint64
	trail []int
	spans []span
	eager bool // it remembers from the beginning; tests compare
}

// entry is what to do when the rest of a match failed.
type entry struct {
	kind entryKind
	pc   int32 // where to go on; for entryUndo the slot
	pos  int32 // from which position; for entryUndo what was in the slot
	far  int32 // of a run: the last position it may come to
}

type entryKind int32

const (
	entryGo      entryKind = iota // at pos
	entryUndo                     // and look at the next entry
	entryShorter                  // a run that gives back, down to far
	entryLonger                   // a lazy run that takes more, up to far
)

// Match searches a text from a position on; with sticky it looks at that position alone. It
// returns the offsets of the beginning and the end of the match and of each group, -1 for
// what took no part, or nil if nothing matches. They are valid until the next match. The
// error is [ErrStopped] or [ErrMemory].
func (m *Matcher) Match(p *Program, text Text, at int, sticky bool) ([]int32, error) {
	if m.ascii = text.ascii; text.wide != nil {
		return search(m, p, text.wide, at, sticky)
	}
	return search(m, p, text.ascii, at, sticky)
}

// search tries a match at every position where one may begin.
func search[T unit](m *Matcher, p *Program, s []T, at int, sticky bool) ([]int32, error) {
	points := p.flags.CodePoints()
	if points && at > 0 && at < len(s) {
		if _, n := pointBefore(s, at+1); n == 2 { // inside a pair
			at--
		}
	}
	r := &run[T]{m: m, p: p, s: s, stack: m.stack[:0], limit: patience}
	r.regs = slices.Grow(m.regs[:0], p.regs)[:p.regs]
	for i := range r.regs {
		r.regs[i] = -1
	}
	defer r.keep()
	if m.steps >= patience {
		if r.check(); r.err != nil {
			return nil, r.err
		}
	}
	if m.eager {
		r.remember()
	}
	for ; at <= len(s); at++ {
		if !sticky {
			if at = r.candidate(at); at < 0 {
				return nil, r.err
			}
		}
		end, ok := r.match(0, at)
		if r.err != nil {
			return nil, r.err
		}
		r.steps += max(end-at, 0) >> 3
		if ok {
			r.regs[0], r.regs[1] = int32(at), int32(end)
			return r.regs[:2*(p.groups+1)], nil
		}
		if sticky || p.anchor {
			return nil, nil
		}
		if points && at < len(s) {
			if _, n := pointAt(s, at); n == 2 {
				at++
			}
		}
	}
	return nil, nil
}

// candidate is the next position where a match may begin, or -1.
func (r *run[T]) candidate(at int) int {
	p, s := r.p, r.s
	switch {
	case p.anchor:
		if at > 0 {
			return -1
		}
	case p.ascii != nil && len(r.m.ascii) > 0:
		found := bytes.Index(r.m.ascii[at:], p.ascii) // linear, and many bytes at once
		if found < 0 {
			return -1
		}
		at += found
	case p.prefix != nil:
		first := p.prefix[0]
		for last := len(s) - len(p.prefix); at <= last; at++ {
			if uint16(s[at]) != first {
				continue
			}
			n := common(s[at:], p.prefix)
			if n == len(p.prefix) {
				return at
			}
			if r.steps += n >> 3; r.steps >= r.limit {
				if r.check(); r.err != nil {
					return -1
				}
			}
		}
		return -1
	case !p.start.any:
		for ; at < len(s); at++ {
			if p.start.has(uint16(s[at])) {
				return at
			}
		}
		if !p.start.end {
			return -1
		}
	}
	return at
}

// common is how many units are the same at the beginning of both.
func common[T unit](s []T, text []uint16) int {
	n := min(len(s), len(text))
	for i, c := range text[:n] {
		if uint16(s[i]) != c {
			return i
		}
	}
	return n
}

// keep gives the memory back to the matcher, unless it is large.
func (r *run[T]) keep() {
	r.m.regs = r.regs
	r.m.steps += r.steps - r.asked
	if r.m.stack = r.stack; cap(r.stack) > keptStack {
		r.m.stack = nil
	}
	if r.memo != nil {
		r.m.memo = r.memo
	}
	if cap(r.m.memo) > keptMemo {
		r.m.memo = nil
	}
	if cap(r.m.trail) > keptMemo {
		r.m.trail = nil
	}
}

// went counts what went well, and a failure or a jump after it.
func (r *run[T]) went(fromPC, pc, from, at int) {
	r.steps += 1 + max(at-from, from-at)>>3 + max(pc-fromPC, fromPC-pc)>>3
	if r.steps >= r.limit {
		r.check()
	}
}

// check is called now and then. It begins to remember when the match takes long, and ends
// the match when it has to.
func (r *run[T]) check() {
	r.limit, r.asked, r.m.steps = r.steps+patience, r.steps, 0
	if r.m.Stop != nil && r.m.Stop() {
		r.err = ErrStopped
		return
	}
	if r.steps >= patience+4*len(r.s) {
		r.remember()
	}
}

// remember begins to note what fails, if the program can and the memory suffices.
func (r *run[T]) remember() {
	if len(r.memo) > 0 || r.p.memos == 0 {
		return
	}
	words := (r.p.memos*(len(r.s)+1) + 63) / 64
	if words > maxMemo {
		return
	}
	r.memo = slices.Grow(r.m.memo[:0], words)[:words]
	clear(r.memo)
	r.spans = slices.Grow(r.m.spans[:0], r.p.memos)[:r.p.memos]
	for i := range r.spans {
		r.spans[i] = span{start: -1, low: -1, far: -2} // none
	}
	r.m.spans = r.spans
}

// failed reports whether the program failed before when it went on at a position, and notes
// that it is tried now: whoever asks again finds that it failed, as the first that succeeds
// ends the match. Inside loops that may match nothing, that is so if there was progress since
// the loops began.
func (r *run[T]) failed(memo int32, pos int) bool {
	bit := int(memo)*(len(r.s)+1) + pos
	word, mask := bit>>6, uint64(1)<<(bit&63)
	if r.memo[word]&mask != 0 {
		return true
	}
	if r.progressed(memo, pos) {
		r.memo[word] |= mask
		if r.looks > 0 {
			r.m.trail = append(r.m.trail, bit)
		}
	}
	return false
}

func (r *run[T]) progressed(memo int32, pos int) bool {
	for _, slot := range r.p.nesting[memo] {
		if int(r.regs[slot]) == pos {
			return false
		}
	}
	return true
}

// forget takes back what was noted since a look-around began: it succeeded.
func (r *run[T]) forget(from int) {
	for _, bit := range r.m.trail[from:] {
		r.memo[bit>>6] &^= 1 << (bit & 63)
	}
	r.m.trail = r.m.trail[:from]
}
