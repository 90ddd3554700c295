package regex

import "strings"

// group reads what is in parentheses.
func (p *parser) group() (n *node, quantifiable bool) {
	from := p.at
	p.at++
	flags := p.now
	defer func() { p.now = flags }()
	switch {
	case p.eatAll("?:"):
		n = p.disjunction()
	case p.eatAll("?="):
		return p.look(from, false, false), !p.flags.CodePoints()
	case p.eatAll("?!"):
		return p.look(from, true, false), !p.flags.CodePoints()
	case p.eatAll("?<="):
		return p.look(from, false, true), false
	case p.eatAll("?<!"):
		return p.look(from, true, true), false
	case p.eatAll("?<"):
		at := p.at
		name, ok := p.groupName()
		if !ok {
			p.fail(at, "Invalid capture group name")
		}
		return p.capture(from, name, at), true
	case p.eat('?'):
		p.modifiers(from)
		n = p.disjunction()
	default:
		return p.capture(from, "", 0), true
	}
	p.closing(from)
	return n, true
}

func (p *parser) closing(from int) {
	if !p.eat(')') {
		p.fail(from, "Unterminated group")
	}
}

func (p *parser) capture(from int, name string, at int) *node {
	p.groups++
	n := &node{kind: nodeGroup, group: p.groups, groups: [2]int{p.groups}}
	if name != "" {
		p.addName(name, at)
	}
	n.kids = []*node{p.disjunction()}
	n.groups[1] = p.groups + 1
	p.closing(from)
	return n
}

func (p *parser) look(from int, negative, behind bool) *node {
	first := p.groups + 1
	n := &node{kind: nodeLook, negative: negative, behind: behind, kids: []*node{p.disjunction()}}
	n.groups = [2]int{first, p.groups + 1}
	p.closing(from)
	return n
}

// modifiers reads flags that are switched on and off inside a group.
func (p *parser) modifiers(from int) {
	var on, off Flags
	target, minus := &on, false
	for !p.eat(':') {
		c := p.peek()
		p.at++
		if c == '-' && !minus {
			target, minus = &off, true
			continue
		}
		one, known := flagOf(c)
		if c < 0 || !known || one&(IgnoreCase|Multiline|DotAll) == 0 {
			p.fail(from, "Invalid group")
		}
		if (on|off)&one != 0 {
			p.fail(from, "A flag is there twice in the group")
		}
		*target |= one
	}
	if minus && on|off == 0 {
		p.fail(from, "Invalid group")
	}
	p.now = p.now&^off | on
}

// groupName reads a name and the bracket that ends it.
func (p *parser) groupName() (string, bool) {
	var name strings.Builder
	for !p.eat('>') {
		if p.at >= len(p.units) {
			return "", false
		}
		c := p.takeCodePoint()
		if c == '\\' {
			var ok bool
			if c, ok = p.nameEscape(); !ok {
				return "", false
			}
		}
		if c != '$' && c != '_' && !inName(c, name.Len() == 0) {
			return "", false
		}
		name.WriteRune(c)
	}
	return name.String(), name.Len() > 0
}

func inName(c rune, first bool) bool {
	if isLetter(c) {
		return true
	}
	if first {
		return c >= 0x80 && findProperty("ID_Start", "", false, 0).set().has(c)
	}
	return '0' <= c && c <= '9' || c == 0x200c || c == 0x200d || c >= 0x80 && findProperty("ID_Continue", "", false, 0).set().has(c)
}

// nameEscape reads an escape in a name: braces and pairs of surrogates work in it without u.
func (p *parser) nameEscape() (rune, bool) {
	if !p.eat('u') {
		return 0, false
	}
	return p.unicodeEscape(true)
}
