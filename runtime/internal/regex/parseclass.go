package regex

// bracket reads a class in brackets.
func (p *parser) bracket() *class {
	from := p.at
	p.at++
	if p.flags&UnicodeSets != 0 {
		return p.setClass(from)
	}
	c := &class{negative: p.eat('^')}
	for !p.eat(']') {
		if p.at >= len(p.units) {
			p.fail(from, "Unterminated character class")
		}
		at := p.at
		lo := p.classAtom()
		if p.peek() != '-' || p.ahead(1) == ']' || p.ahead(1) < 0 {
			c.items = append(c.items, lo)
			continue
		}
		p.at++
		hi := p.classAtom()
		c.items = p.appendRange(c.items, lo, hi, at)
	}
	return c
}

// appendRange adds a range. Without u and v, one that begins or ends with a class such as \d
// is the two of them and a hyphen.
func (p *parser) appendRange(items []item, lo, hi item, at int) []item {
	if lo.kind != itemRange || hi.kind != itemRange {
		if p.flags.CodePoints() {
			p.fail(at, "Invalid character class")
		}
		return append(items, lo, item{lo: '-', hi: '-'}, hi)
	}
	if lo.lo > hi.lo {
		p.fail(at, "Range out of order in character class")
	}
	return append(items, item{lo: lo.lo, hi: hi.lo})
}

// classAtom reads a member of a class.
func (p *parser) classAtom() item {
	from := p.at
	if p.at >= len(p.units) {
		p.fail(from, "Unterminated character class")
	}
	if !p.eat('\\') {
		c := p.take()
		return item{lo: c, hi: c}
	}
	if it, ok := p.classEscape(from); ok {
		return it
	}
	c := p.classCharacter(from)
	return item{lo: c, hi: c}
}

func (p *parser) classCharacter(from int) rune {
	strict := p.flags.CodePoints()
	switch c := p.peek(); {
	case c < 0:
		p.fail(from, "\\ at end of pattern")
	case c == 'b':
		p.at++
		return '\b'
	case c == '-' && strict:
		p.at++
		return '-'
	case c == 'c' && !strict:
		if next := p.ahead(1); '0' <= next && next <= '9' || next == '_' {
			p.at += 2
			return next & 0x1f
		}
	}
	c, ok := p.characterEscape(from)
	if !ok && (strict || c == 'k') {
		p.fail(from, "Invalid escape")
	}
	return c
}

// setClass reads a class of flag v, after its bracket.
func (p *parser) setClass(from int) *class {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.at, "Classes are nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	c := &class{negative: p.eat('^')}
	for first := true; !p.eat(']'); first = false {
		if p.at >= len(p.units) {
			p.fail(from, "Unterminated character class")
		}
		at := p.at
		if !first && c.op == unionOf && len(c.items) == 1 && c.items[0].operand() {
			switch {
			case p.eatAll("&&"):
				c.op = intersectionOf
			case p.eatAll("--"):
				c.op = differenceOf
			}
		} else if c.op == intersectionOf && !p.eatAll("&&") || c.op == differenceOf && !p.eatAll("--") {
			p.fail(at, "Invalid set operation in character class")
		}
		if c.op != unionOf {
			if c.op == intersectionOf && p.peek() == '&' {
				p.fail(at, "Invalid character in character class")
			}
			c.items = append(c.items, p.setOperand())
			continue
		}
		lo := p.setOperand()
		if p.peek() != '-' || p.ahead(1) == '-' {
			c.items = append(c.items, lo)
			continue
		}
		p.at++
		hi := p.setOperand()
		if lo.kind != itemRange || hi.kind != itemRange {
			p.fail(at, "Invalid character class")
		}
		c.items = p.appendRange(c.items, lo, hi, at)
		c.items[len(c.items)-1].negative = true // a mark: it is no operand
	}
	if c.negative && c.mayHaveStrings() {
		p.fail(from, "Negated character class may contain strings")
	}
	return c
}

// operand reports whether an item can be part of an intersection or a difference: a range
// cannot.
func (it *item) operand() bool { return it.kind != itemRange || !it.negative }

func (p *parser) setOperand() item {
	from := p.at
	if p.at >= len(p.units) {
		p.fail(from, "Unterminated character class")
	}
	if p.peek() == '[' {
		p.at++
		return item{kind: itemClass, nested: p.setClass(from)}
	}
	if p.peek() == '\\' {
		p.at++
		if p.eatAll("q{") {
			return item{kind: itemStrings, strings: p.quoted(from)}
		}
		if it, ok := p.classEscape(from); ok {
			return it
		}
		p.at = from
	}
	c := p.setCharacter()
	return item{lo: c, hi: c}
}

// quoted reads the strings of \q{…}.
func (p *parser) quoted(from int) [][]rune {
	all := [][]rune{nil}
	for !p.eat('}') {
		if p.at >= len(p.units) {
			p.fail(from, "Invalid escape")
		}
		if p.eat('|') {
			all = append(all, nil)
			continue
		}
		all[len(all)-1] = append(all[len(all)-1], p.setCharacter())
	}
	return all
}

// setCharacter reads a single character inside a class of flag v.
func (p *parser) setCharacter() rune {
	from := p.at
	if p.eat('\\') {
		switch c := p.peek(); c {
		case '&', '-', '!', '#', '%', ',', ':', ';', '<', '=', '>', '@', '`', '~':
			p.at++
			return c
		}
		return p.classCharacter(from)
	}
	c := p.takeCodePoint()
	switch c {
	case '(', ')', '[', ']', '{', '}', '/', '-', '|':
		p.fail(from, "Invalid character in character class")
	case '&', '!', '#', '$', '%', '*', '+', ',', '.', ':', ';', '<', '=', '>', '?', '@', '^', '`', '~':
		if p.peek() == c {
			p.fail(from, "Invalid set operation in character class")
		}
	}
	return c
}
