package regex

import "slices"

// finish finds what makes matching fast: what the text has to go on with for a part to match.
func (c *compiler) finish() {
	p := c.p
	if c.refs { // whether a part matches depends on what was captured
		p.memos, p.nesting = 0, nil
		for i := range c.code {
			c.code[i].memo = -1
		}
	}
	p.code, p.regs = slices.Clip(c.code), c.slots
	for at := range p.code {
		switch in := &p.code[at]; in.op {
		case opRun:
			p.finishRun(at)
		case opSplit:
			x, y := p.lead(int(in.x), 24), p.lead(int(in.y), 24)
			if !x.any || !y.any {
				in.hints = &[2]hint{x, y}
			}
		}
	}
	p.start = p.lead(0, 4000)
	first := 0
	for p.code[first].op == opSave {
		first++
	}
	switch in := &p.code[first]; in.op {
	case opString:
		p.prefix = in.text
	case opChar:
		p.prefix = []uint16{in.char}
	case opLineStart:
		p.anchor = !in.multiline
	}
	for _, c := range p.prefix {
		if c >= 0x80 {
			p.ascii = nil
			break
		}
		p.ascii = append(p.ascii, byte(c))
	}
}

func (p *Program) finishRun(at int) {
	in := &p.code[at]
	in.follow = -1
	next := at + 1
	for p.code[next].op == opSave {
		next++
	}
	switch after := &p.code[next]; after.op {
	case opMatch: // it never comes back
		in.possessive = !in.lazy
		return
	case opChar:
		in.follow = int32(after.char)
	case opString:
		in.follow = int32(after.text[0])
	}
	if !in.lazy {
		follows := p.lead(at+1, 48)
		in.possessive = follows.excludes(in.class)
	}
}

// lead finds what may come first where the program goes on at an instruction. It looks at a
// number of instructions; beyond, it says that anything may.
func (p *Program) lead(at, budget int) hint {
	l := leads{program: p, budget: budget}
	l.from(at)
	return l.found
}

type leads struct {
	program *Program
	budget  int
	found   hint
}

func (l *leads) from(at int) {
	for !l.found.any {
		if l.budget--; l.budget < 0 {
			l.found.any = true
			return
		}
		switch in := &l.program.code[at]; in.op {
		case opChar:
			l.found.addUnit(in.char)
			return
		case opString:
			l.found.addUnit(in.text[0])
			return
		case opSet, opPoint:
			l.found.addClass(in.class)
			return
		case opRun:
			l.found.addClass(in.class)
			if in.min > 0 {
				return
			}
			at++
		case opSplit, opCount:
			l.from(int(in.x))
			at = int(in.y)
		case opJump, opLook:
			at = int(in.x)
		case opSave, opReset, opMark, opZero, opProgress, opLineStart, opBoundary:
			at++
		case opLineEnd:
			l.found.end = true
			if in.multiline {
				for i := 0; i < len(lineEnds); i += 2 {
					l.found.addUnit(uint16(lineEnds[i]))
				}
			}
			return
		case opFail:
			return
		default:
			l.found.any = true
		}
	}
}
