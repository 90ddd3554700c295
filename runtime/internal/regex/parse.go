package regex

import (
	"slices"
	"unicode/utf16"
)

// maxNesting bounds groups in groups: parsing and compiling recurse.
const maxNesting = 1000

// parser reads a pattern. It stops at the first error by a panic with a *SyntaxError, which
// parse recovers.
type parser struct {
	units  []uint16
	at     int
	flags  Flags // of the pattern
	now    Flags // flags, as modifiers changed them
	named  bool  // there are named groups
	total  int   // captures in the whole pattern
	groups int   // captures so far
	names  []namedGroup
	called map[string][]int // which of names have a name
	path   []alternative    // where the parser is
	next   int              // number of the next disjunction
	depth  int
	refs   []pendingReference
}

type namedGroup struct {
	name  string
	group int
	path  []alternative
}

// alternative says in which alternative of a disjunction something is. Two groups may have
// one name if they are in different alternatives of the same disjunction.
type alternative struct{ disjunction, which int }

type pendingReference struct {
	node *node
	name string
	at   int
}

// tree is a pattern that was read.
type tree struct {
	root   *node
	groups int // captures, without the whole match
	names  []namedGroup
	flags  Flags
}

// parse reads a pattern.
func parse(pattern []uint16, flags Flags) (t *tree, err error) {
	p := &parser{units: pattern, flags: flags, now: flags}
	defer func() {
		if thrown := recover(); thrown != nil {
			bad, ok := thrown.(*SyntaxError)
			if !ok {
				panic(thrown)
			}
			t, err = nil, bad
		}
	}()
	p.count()
	root := p.disjunction()
	if p.at < len(p.units) { // only a parenthesis ends a disjunction
		p.fail(p.at, "Unmatched ')'")
	}
	p.resolve()
	return &tree{root: root, groups: p.groups, names: p.names, flags: flags}, nil
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(syntaxError(at, format, args...))
}

// count finds how many captures there are and whether one has a name: both change what
// escapes mean.
func (p *parser) count() {
	depth := 0 // of brackets, which nest with v
	for i := 0; i < len(p.units); i++ {
		switch p.units[i] {
		case '\\':
			i++
		case '[':
			if depth == 0 || p.flags&UnicodeSets != 0 {
				depth++
			}
		case ']':
			depth = max(depth-1, 0)
		case '(':
			if depth > 0 {
				continue
			}
			rest := p.units[i+1:]
			switch {
			case len(rest) == 0 || rest[0] != '?':
				p.total++
			case len(rest) > 2 && rest[1] == '<' && rest[2] != '=' && rest[2] != '!':
				p.total++
				p.named = true
			}
		}
	}
}

// peek is the unit that comes next, or -1.
func (p *parser) peek() rune { return p.ahead(0) }

func (p *parser) ahead(n int) rune {
	if p.at+n < len(p.units) {
		return rune(p.units[p.at+n])
	}
	return -1
}

func (p *parser) eat(c rune) bool {
	if p.peek() == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) eatAll(text string) bool {
	for i := range len(text) {
		if p.ahead(i) != rune(text[i]) {
			return false
		}
	}
	p.at += len(text)
	return true
}

// take reads a character: a code point if the pattern is about code points.
func (p *parser) take() rune {
	if p.flags.CodePoints() {
		return p.takeCodePoint()
	}
	p.at++
	return rune(p.units[p.at-1])
}

func (p *parser) takeCodePoint() rune {
	c := rune(p.units[p.at])
	p.at++
	if next := p.peek(); utf16.IsSurrogate(c) && c < 0xdc00 && 0xdc00 <= next && next <= 0xdfff {
		p.at++
		return utf16.DecodeRune(c, next)
	}
	return c
}

func (p *parser) disjunction() *node {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.at, "Groups are nested more than %d deep", maxNesting)
	}
	p.path = append(p.path, alternative{disjunction: p.next})
	p.next++
	flags := p.now
	alternatives := []*node{p.alternative()}
	for p.eat('|') {
		p.path[len(p.path)-1].which++
		p.now = flags
		alternatives = append(alternatives, p.alternative())
	}
	p.path = p.path[:len(p.path)-1]
	p.depth--
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return &node{kind: nodeAlternate, kids: alternatives}
}

func (p *parser) alternative() *node {
	var terms []*node
	for p.at < len(p.units) && p.peek() != '|' && p.peek() != ')' {
		terms = append(terms, p.term())
	}
	switch len(terms) {
	case 0:
		return &node{kind: nodeEmpty}
	case 1:
		return terms[0]
	}
	return &node{kind: nodeConcat, kids: terms}
}

// term reads an assertion or an atom, with its quantifier.
func (p *parser) term() *node {
	from, first := p.at, p.groups
	n, quantifiable := p.atom()
	lo, hi, ok := p.quantifier()
	if !ok {
		return n
	}
	if !quantifiable {
		p.fail(from, "Nothing to repeat")
	}
	loop := &node{kind: nodeLoop, kids: []*node{n}, min: lo, max: hi, flags: p.now, groups: [2]int{first + 1, p.groups + 1}}
	loop.lazy = p.eat('?')
	return loop
}

// atom reads what a quantifier may follow, and assertions.
func (p *parser) atom() (n *node, quantifiable bool) {
	strict := p.flags.CodePoints()
	switch c := p.peek(); c {
	case '^':
		p.at++
		return &node{kind: nodeLineStart, flags: p.now}, false
	case '$':
		p.at++
		return &node{kind: nodeLineEnd, flags: p.now}, false
	case '(':
		return p.group()
	case '.':
		p.at++
		return &node{kind: nodeClass, class: dotClass(p.now), flags: p.now}, true
	case '[':
		return &node{kind: nodeClass, class: p.bracket(), flags: p.now}, true
	case '\\':
		return p.escape()
	case '*', '+', '?':
		p.fail(p.at, "Nothing to repeat")
	case '{':
		from := p.at
		if _, _, ok := p.quantifier(); ok || strict {
			p.fail(from, "Nothing to repeat")
		}
	case '}', ']':
		if strict {
			p.fail(p.at, "Lone quantifier brackets")
		}
	}
	return &node{kind: nodeChar, char: p.take(), flags: p.now}, true
}

var lineEndsInverted = lineEnds.invert()

func dotClass(f Flags) *class {
	if f&DotAll != 0 {
		return &class{items: []item{{kind: itemSet, set: anything}}}
	}
	return &class{items: []item{{kind: itemSet, set: lineEndsInverted}}}
}

// quantifier reads one. Without u and v, braces that are none are characters.
func (p *parser) quantifier() (lo, hi int, ok bool) {
	switch p.peek() {
	case '*':
		p.at++
		return 0, -1, true
	case '+':
		p.at++
		return 1, -1, true
	case '?':
		p.at++
		return 0, 1, true
	case '{':
	default:
		return 0, 0, false
	}
	from := p.at
	p.at++
	lo, ok = p.number()
	hi = lo
	if ok && p.eat(',') {
		if hi, ok = p.number(); !ok {
			hi, ok = -1, true
		}
	}
	if !ok || !p.eat('}') {
		if p.flags.CodePoints() {
			p.fail(from, "Incomplete quantifier")
		}
		p.at = from
		return 0, 0, false
	}
	if hi >= 0 && hi < lo {
		p.fail(from, "numbers out of order in {} quantifier")
	}
	return lo, hi, true
}

const hugeNumber = 1<<31 - 1 // more than there can be of anything

func (p *parser) number() (n int, ok bool) {
	for ; '0' <= p.peek() && p.peek() <= '9'; p.at++ {
		n, ok = min(n*10+int(p.peek()-'0'), hugeNumber), true
	}
	return n, ok
}

// resolve finds the groups that named references mean.
func (p *parser) resolve() {
	for _, ref := range p.refs {
		for _, i := range p.called[ref.name] {
			ref.node.refs = append(ref.node.refs, p.names[i].group)
		}
		if ref.node.refs == nil {
			p.fail(ref.at, "Invalid named capture referenced")
		}
	}
}

// maxCalled is how many groups may have one name: each is compared with the others.
const maxCalled = 1000

// addName records the name of a group.
func (p *parser) addName(name string, at int) {
	if len(p.called[name]) >= maxCalled {
		p.fail(at, "More than %d groups have one name", maxCalled)
	}
	for _, i := range p.called[name] {
		if together(p.names[i].path, p.path) {
			p.fail(at, "Duplicate capture group name")
		}
	}
	if p.called == nil {
		p.called = map[string][]int{}
	}
	p.called[name] = append(p.called[name], len(p.names))
	p.names = append(p.names, namedGroup{name: name, group: p.groups, path: slices.Clone(p.path)})
}

// together reports whether two places may take part in one match.
func together(a, b []alternative) bool {
	for i := range min(len(a), len(b)) {
		if a[i].disjunction != b[i].disjunction {
			return true
		}
		if a[i].which != b[i].which {
			return false
		}
	}
	return true
}
