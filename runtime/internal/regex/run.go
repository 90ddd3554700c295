package regex

// run is one match.
type run[T unit] struct {
	m     *Matcher
	p     *Program
	s     []T
	regs  []int32
	stack []entry
	memo  []uint64 // a bit for every remembering instruction and position, once it takes long
	spans []span
	looks int // look-arounds that are under way
	steps int
	limit int // of steps, until the next check
	asked int // steps at the last one
	err   error
}

// match runs the program from an instruction on. It leaves the captures as they are after a
// success, and the entries that undo them on the stack.
func (r *run[T]) match(pc, pos int) (end int, ok bool) {
	s, code, regs := r.s, r.p.code, r.regs
	base := len(r.stack)
	stack := r.stack
	startPC, start := pc, pos // since the last failure
	for {
		in := &code[pc]
		switch in.op {
		case opMatch:
			r.stack = stack
			return pos, true
		case opChar:
			if pos < len(s) && uint16(s[pos]) == in.char {
				pos++
				pc++
				continue
			}
		case opString:
			n := common(s[pos:], in.text)
			if n == len(in.text) {
				pos += n
				pc++
				continue
			}
			r.steps += n >> 3
		case opSet:
			if pos < len(s) && in.class.has(rune(s[pos])) {
				pos++
				pc++
				continue
			}
		case opPoint:
			if pos < len(s) {
				if c, n := pointAt(s, pos); in.class.has(c) {
					pos += n
					pc++
					continue
				}
			}
		case opCharBack:
			if pos > 0 && uint16(s[pos-1]) == in.char {
				pos--
				pc++
				continue
			}
		case opSetBack:
			if pos > 0 && in.class.has(rune(s[pos-1])) {
				pos--
				pc++
				continue
			}
		case opPointBack:
			if pos > 0 {
				if c, n := pointBefore(s, pos); in.class.has(c) {
					pos -= n
					pc++
					continue
				}
			}
		case opRun:
			near, far, possible := r.extent(in, pos)
			if !possible {
				break
			}
			if in.lazy {
				if near < far {
					stack = append(stack, entry{entryLonger, int32(pc), int32(near), int32(far)})
				}
				pos = near
			} else {
				if near < far && !in.possessive {
					stack = append(stack, entry{entryShorter, int32(pc), int32(far), int32(near)})
				}
				pos = far
			}
			pc++
			if len(r.memo) > 0 && in.memo >= 0 && near < far && !in.possessive && r.failed(in.memo, pos) {
				break
			}
			continue
		case opSplit:
			x, y := int(in.x), int(in.y)
			if len(r.memo) > 0 && in.memo >= 0 && r.failed(in.memo, pos) {
				break
			}
			if in.hints != nil {
				switch may, other := r.may(&in.hints[0], pos), r.may(&in.hints[1], pos); {
				case !may && !other:
					goto fail
				case !may:
					pc = y
					continue
				case !other:
					pc = x
					continue
				}
			}
			stack = append(stack, entry{entryGo, int32(y), int32(pos), 0})
			pc = x
			continue
		case opJump:
			if int(in.x) < pc {
				if r.went(startPC, pc, start, pos); r.err != nil {
					r.stack = stack
					return 0, false
				}
				startPC, start = int(in.x), pos
			}
			pc = int(in.x)
			continue
		case opSave, opMark:
			stack = append(stack, entry{entryUndo, in.x, regs[in.x], 0})
			regs[in.x] = int32(pos)
			pc++
			continue
		case opReset:
			for i := 2 * in.x; i < 2*in.y; i++ {
				if regs[i] >= 0 {
					stack = append(stack, entry{entryUndo, i, regs[i], 0})
					regs[i] = -1
				}
			}
			pc++
			continue
		case opProgress:
			if int(regs[in.x]) != pos || in.y >= 0 && regs[in.y] <= in.min {
				pc++
				continue
			}
		case opZero:
			stack = append(stack, entry{entryUndo, in.x, regs[in.x], 0})
			regs[in.x] = 0
			pc++
			continue
		case opCount:
			n := regs[in.slot]
			body, exit := int(in.x), int(in.y)
			if r.went(startPC, pc, start, pos); r.err != nil {
				r.stack = stack
				return 0, false
			}
			startPC, start = body, pos
			switch {
			case in.max >= 0 && n >= in.max:
				pc = exit
				continue
			case n < in.min:
			case in.lazy:
				stack = append(stack, entry{entryGo, int32(len(code) + pc), int32(pos), 0})
				pc = exit
				continue
			default:
				stack = append(stack, entry{entryGo, int32(exit), int32(pos), 0})
			}
			stack = append(stack, entry{entryUndo, in.slot, n, 0})
			regs[in.slot] = n + 1
			pc = body
			continue
		case opLook:
			r.stack = stack
			ok := r.look(pc+1, pos)
			stack = r.stack
			if r.err != nil {
				return 0, false
			}
			if ok != in.negative {
				pc = int(in.x)
				continue
			}
		case opLineStart:
			if pos == 0 || in.multiline && isLineEnd(s[pos-1]) {
				pc++
				continue
			}
		case opLineEnd:
			if pos == len(s) || in.multiline && isLineEnd(s[pos]) {
				pc++
				continue
			}
		case opBoundary:
			before := pos > 0 && in.class.has(rune(s[pos-1]))
			after := pos < len(s) && in.class.has(rune(s[pos]))
			if (before != after) != in.negative {
				pc++
				continue
			}
		case opReference:
			if next := r.reference(in, pos); next >= 0 {
				pos = next
				pc++
				continue
			}
		case opFail:
		}
	fail:
		if r.went(startPC, pc, start, pos); len(stack) > maxStack {
			r.err = ErrMemory
		}
		if r.err != nil {
			r.stack = stack
			return 0, false
		}
	next:
		if len(stack) == base {
			r.stack = stack
			return 0, false
		}
		e := &stack[len(stack)-1]
		switch e.kind {
		case entryUndo:
			regs[e.pc] = e.pos
			stack = stack[:len(stack)-1]
			goto next
		case entryGo:
			pc, pos = int(e.pc), int(e.pos)
			stack = stack[:len(stack)-1]
			if pc >= len(code) { // the body of a lazy loop with a counter
				pc -= len(code)
				in := &code[pc]
				n := regs[in.slot]
				stack = append(stack, entry{entryUndo, in.slot, n, 0})
				regs[in.slot] = n + 1
				pc = int(in.x)
			}
		default:
			in := &code[e.pc]
			pc = int(e.pc) + 1
			var more bool
			if e.kind == entryShorter {
				pos, more = r.shorter(in, int(e.pos), int(e.far))
			} else {
				pos, more = r.longer(in, int(e.pos), int(e.far))
			}
			e.pos = int32(pos)
			if !more {
				stack = stack[:len(stack)-1]
			}
			if pos < 0 || len(r.memo) > 0 && in.memo >= 0 && r.failed(in.memo, pos) {
				startPC, start = pc, max(pos, 0)
				pos = start
				goto fail
			}
		}
		startPC, start = pc, pos
	}
}
