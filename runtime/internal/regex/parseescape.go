package regex

import "unicode/utf16"

// escape reads what begins with a backslash, outside of brackets.
func (p *parser) escape() (n *node, quantifiable bool) {
	from := p.at
	p.at++
	strict := p.flags.CodePoints()
	switch c := p.peek(); {
	case c == 'b' || c == 'B':
		p.at++
		return &node{kind: nodeWordBoundary, negative: c == 'B', flags: p.now}, false
	case c == 'k':
		if n := p.namedReference(from); n != nil {
			return n, true
		}
	case '1' <= c && c <= '9':
		if n := p.reference(from); n != nil {
			return n, true
		}
	}
	if it, ok := p.classEscape(from); ok {
		return &node{kind: nodeClass, class: &class{items: []item{it}}, flags: p.now}, true
	}
	if p.at >= len(p.units) {
		p.fail(from, "\\ at end of pattern")
	}
	c, ok := p.characterEscape(from)
	if !ok && strict {
		p.fail(from, "Invalid escape")
	}
	return &node{kind: nodeChar, char: c, flags: p.now}, true
}

func (p *parser) namedReference(from int) *node {
	if !p.flags.CodePoints() && !p.named {
		return nil
	}
	p.at++
	if !p.eat('<') {
		p.fail(from, "Invalid named reference")
	}
	name, ok := p.groupName()
	if !ok {
		p.fail(from, "Invalid named reference")
	}
	n := &node{kind: nodeBackReference, flags: p.now}
	p.refs = append(p.refs, pendingReference{node: n, name: name, at: from})
	return n
}

// reference reads the number of a group. Without u and v, one that is too large is an octal
// escape.
func (p *parser) reference(from int) *node {
	at := p.at
	n, _ := p.number()
	if n <= p.total {
		return &node{kind: nodeBackReference, refs: []int{n}, flags: p.now}
	}
	if p.flags.CodePoints() {
		p.fail(from, "Invalid escape: there are only %d groups", p.total)
	}
	p.at = at
	return nil
}

// classEscape reads an escape that stands for several characters.
func (p *parser) classEscape(from int) (item, bool) {
	c := p.peek()
	negative := c < 'a'
	switch c {
	case 'd', 'D':
		p.at++
		return item{kind: itemSet, set: digits, negative: negative}, true
	case 's', 'S':
		p.at++
		return item{kind: itemSet, set: spaces, negative: negative}, true
	case 'w', 'W':
		p.at++
		return item{kind: itemWord, negative: negative}, true
	case 'p', 'P':
		if p.flags.CodePoints() {
			p.at++
			return item{kind: itemProperty, property: p.property(from, negative), negative: negative}, true
		}
	}
	return item{}, false
}

func (p *parser) property(from int, negative bool) *property {
	if !p.eat('{') {
		p.fail(from, "Invalid property name")
	}
	name := p.propertyWord()
	value, valued := "", p.eat('=')
	if valued {
		value = p.propertyWord()
	}
	found := findProperty(name, value, valued, p.flags)
	if !p.eat('}') || found == nil || found.sequences && negative {
		p.fail(from, "Invalid property name")
	}
	return found
}

func (p *parser) propertyWord() string {
	from := p.at
	for c := p.peek(); c == '_' || isLetter(c) || '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	return string(utf16.Decode(p.units[from:p.at]))
}

// characterEscape reads an escape that stands for one character. ok is false if u and v do
// not have it.
func (p *parser) characterEscape(from int) (c rune, ok bool) {
	strict := p.flags.CodePoints()
	c = p.take()
	switch c {
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'v':
		return '\v', true
	case 'c':
		if isLetter(p.peek()) {
			p.at++
			return rune(p.units[p.at-1]) & 0x1f, true
		}
		p.at-- // the backslash is a character, and c the next
		return '\\', false
	case 'x':
		if n, ok := p.hex(2); ok {
			return n, true
		}
		return 'x', false
	case 'u':
		if n, ok := p.unicodeEscape(strict); ok {
			return n, true
		}
		return 'u', false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if strict {
			if next := p.peek(); c != '0' || '0' <= next && next <= '9' {
				p.fail(from, "Invalid decimal escape")
			}
			return 0, true
		}
		return p.octal(c - '0'), true
	case 'k':
		return c, !strict && !p.named
	case '^', '$', '\\', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '/':
		return c, true
	}
	return c, !strict
}

// octal reads up to three digits that make no more than 255.
func (p *parser) octal(n rune) rune {
	for most := 2; most > 0; most-- {
		d := p.peek() - '0'
		if d < 0 || d > 7 || n*8+d > 0xff {
			break
		}
		n = n*8 + d
		p.at++
	}
	return n
}

func (p *parser) hex(length int) (rune, bool) {
	var n rune
	for i := range length {
		d := hexDigit(p.ahead(i))
		if d < 0 {
			return 0, false
		}
		n = n<<4 | d
	}
	p.at += length
	return n, true
}

func hexDigit(c rune) rune {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// unicodeEscape reads what follows \u. long allows braces and pairs of surrogates.
func (p *parser) unicodeEscape(long bool) (rune, bool) {
	if long && p.peek() == '{' {
		return p.braced()
	}
	c, ok := p.hex(4)
	if !ok || !long || c < 0xd800 || c > 0xdbff || p.peek() != '\\' || p.ahead(1) != 'u' {
		return c, ok
	}
	at := p.at
	p.at += 2
	if low, ok := p.hex(4); ok && 0xdc00 <= low && low <= 0xdfff {
		return utf16.DecodeRune(c, low), true
	}
	p.at = at
	return c, true
}

func (p *parser) braced() (rune, bool) {
	at := p.at
	p.at++
	n, some := rune(0), false
	for d := hexDigit(p.peek()); d >= 0; d = hexDigit(p.peek()) {
		if n, some = n<<4|d, true; n > maxRune {
			p.at = at
			return 0, false
		}
		p.at++
	}
	if !some || !p.eat('}') {
		p.at = at
		return 0, false
	}
	return n, true
}
