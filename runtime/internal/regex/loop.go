package regex

import "unicode/utf16"

// loop compiles a quantifier.
func (c *compiler) loop(n *node) {
	body := n.kids[0]
	if n.max == 0 {
		return
	}
	if c.run(n, body) {
		return
	}
	empty := body.mayBeEmpty()
	size := body.size()
	switch {
	case n.min == 0 && n.max < 0:
		c.star(n, body, empty)
	case n.min == 1 && n.max < 0 && !empty:
		c.plus(n, body)
	case n.max >= 0 && size*n.max <= maxUnrolled, n.max < 0 && size*(n.min+1) <= maxUnrolled:
		for range n.min {
			c.iteration(n, body)
		}
		if n.max < 0 {
			c.star(n, body, empty)
			return
		}
		c.optional(n, body, empty)
	default:
		c.counting(n, body, empty)
	}
}

// iteration is one turn: what was captured in the last one is forgotten.
func (c *compiler) iteration(n *node, body *node) {
	if n.groups[1] > n.groups[0] {
		c.emit(inst{op: opReset, x: int32(n.groups[0]), y: int32(n.groups[1])})
	}
	c.node(body)
}

// checked is a turn that has to match more than nothing.
func (c *compiler) checked(n *node, body *node, empty bool) {
	if !empty {
		c.iteration(n, body)
		return
	}
	slot := c.slot()
	c.emit(inst{op: opMark, x: slot})
	c.nesting = append(c.nesting, slot)
	c.iteration(n, body)
	c.nesting = c.nesting[:len(c.nesting)-1]
	c.emit(inst{op: opProgress, x: slot, y: -1})
}

func (c *compiler) star(n *node, body *node, empty bool) {
	split := c.split(n.lazy)
	c.checked(n, body, empty)
	c.emit(inst{op: opJump, x: int32(split)})
	c.exit(split)
}

// split begins what may be left out: the body follows.
func (c *compiler) split(lazy bool) int {
	at := c.emit(inst{op: opSplit, lazy: lazy})
	c.remember(at)
	return at
}

func (c *compiler) exit(split int) {
	c.code[split].x, c.code[split].y = int32(split+1), c.here()
	if c.code[split].lazy {
		c.code[split].x, c.code[split].y = c.code[split].y, c.code[split].x
	}
}

func (c *compiler) plus(n *node, body *node) {
	again := c.here()
	c.iteration(n, body)
	at := c.emit(inst{op: opSplit, lazy: n.lazy})
	c.remember(at)
	c.code[at].x, c.code[at].y = again, c.here()
	if n.lazy {
		c.code[at].x, c.code[at].y = c.here(), again
	}
}

// optional is the turns beyond min: each may be the last.
func (c *compiler) optional(n *node, body *node, empty bool) {
	var splits []int
	for range n.max - n.min {
		splits = append(splits, c.split(n.lazy))
		c.checked(n, body, empty)
	}
	for _, at := range splits {
		c.exit(at)
	}
}

// counting is a loop with a counter, for what is too large to be written out.
func (c *compiler) counting(n *node, body *node, empty bool) {
	counter := c.slot()
	c.emit(inst{op: opZero, x: counter})
	c.counted++
	head := c.emit(inst{op: opCount, slot: counter, min: int32(n.min), max: int32(n.max), lazy: n.lazy})
	c.code[head].x = c.here()
	mark := int32(-1)
	if empty {
		mark = c.slot()
		c.emit(inst{op: opMark, x: mark})
	}
	c.iteration(n, body)
	if empty {
		c.emit(inst{op: opProgress, x: mark, y: counter, min: int32(n.min)})
	}
	c.emit(inst{op: opJump, x: int32(head)})
	c.counted--
	c.code[head].y = c.here()
}

// run compiles a loop over single characters to one instruction, if it is one.
func (c *compiler) run(n *node, body *node) bool {
	if c.back {
		return false
	}
	var s set
	switch body.kind {
	case nodeChar:
		s = set{body.char, body.char}
		if body.flags&IgnoreCase != 0 {
			var pairs []rune
			for _, r := range sameAs(body.char, body.flags) {
				pairs = append(pairs, r, r)
			}
			s = normalize(pairs)
		}
	case nodeClass:
		m := body.class.resolve(body.flags)
		if len(m.strings) > 0 {
			return false
		}
		s = m.set
	default:
		return false
	}
	if len(s) == 0 {
		if n.min > 0 {
			c.emit(inst{op: opFail})
		}
		return true
	}
	if n.min == 1 && n.max == 1 {
		c.one(s, body.flags)
		return true
	}
	at := c.emit(inst{op: opRun, class: c.charClass(s), min: int32(n.min), max: int32(n.max), lazy: n.lazy, point: !c.units(s, body.flags)})
	if n.max < 0 {
		c.code[at].max = hugeNumber
	}
	c.remember(at)
	return true
}

// mayBeEmpty reports whether a part may match nothing.
func (n *node) mayBeEmpty() bool {
	switch n.kind {
	case nodeChar:
		return false
	case nodeClass:
		return n.class.mayHaveStrings()
	case nodeConcat:
		for _, kid := range n.kids {
			if !kid.mayBeEmpty() {
				return false
			}
		}
		return true
	case nodeAlternate:
		for _, kid := range n.kids {
			if kid.mayBeEmpty() {
				return true
			}
		}
		return false
	case nodeLoop:
		return n.min == 0 || n.kids[0].mayBeEmpty()
	case nodeGroup:
		return n.kids[0].mayBeEmpty()
	}
	return true
}

// size is about how many instructions a part is, and no more than a bound above what is
// ever written out.
func (n *node) size() int {
	total := 1
	switch n.kind {
	case nodeChar:
		if n.char > 0xffff && !utf16.IsSurrogate(n.char) {
			return 2
		}
		return 1
	case nodeLoop:
		times := max(n.min, n.max)
		if n.max < 0 {
			times = n.min + 1
		}
		size := n.kids[0].size()
		if size*times > maxUnrolled {
			times = 1
		}
		return min(size*max(times, 1)+3, maxUnrolled+1)
	case nodeClass:
		if n.class.mayHaveStrings() {
			return maxUnrolled
		}
	}
	for _, kid := range n.kids {
		if total += kid.size(); total > maxUnrolled {
			return maxUnrolled + 1
		}
	}
	return total + 2
}
