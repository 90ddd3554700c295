package regex

import (
	"slices"
	"unicode/utf16"
)

const (
	// maxPattern bounds patterns, in code units: what they compile to is some hundred times
	// as large.
	maxPattern = 1 << 18
	// maxUnrolled bounds the instructions that a counted loop is written out to.
	maxUnrolled = 200
	// maxCode bounds a program, in instructions.
	maxCode = 1 << 20
)

// ErrStopped says that Matcher.Stop, or the one that was given to Compile, ended it.
var ErrStopped = errorText("the regular expression was stopped")

// ErrMemory says that a match would have taken too much memory.
var ErrMemory = errorText("the regular expression takes too much memory on this text")

type errorText string

func (e errorText) Error() string { return string(e) }

type compiler struct {
	p       *Program
	code    []inst
	slots   int
	nesting []int32 // slots of positions that loops began at
	counted int     // loops with counters around
	back    bool    // inside look-behind
	refs    bool    // there are back references
	steps   int
	stop    func() bool
	known   map[classKey]*charClass
}

// classKey finds classes that are there several times. Escapes such as \d share their sets.
type classKey struct {
	first  *rune
	length int
}

// Check reports whether a pattern is one: the error is a *SyntaxError. It costs less than
// compiling.
func Check(pattern []uint16, flags Flags) error {
	if len(pattern) > maxPattern {
		return tooLarge()
	}
	_, err := parse(pattern, flags)
	return err
}

func tooLarge() error { return syntaxError(0, "the regular expression is too large") }

// Compile compiles a pattern. The error is a *SyntaxError, or [ErrStopped] if stop, which may
// be nil, returned true.
func Compile(pattern []uint16, flags Flags, stop func() bool) (p *Program, err error) {
	if len(pattern) > maxPattern {
		return nil, tooLarge()
	}
	t, err := parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	c := &compiler{p: &Program{flags: flags, groups: t.groups, names: t.names, source: pattern}, stop: stop, known: map[classKey]*charClass{}}
	for i := range c.p.names {
		c.p.names[i].path = nil
	}
	c.slots = 2 * (t.groups + 1)
	defer func() {
		if thrown := recover(); thrown != nil {
			bad, ok := thrown.(error)
			if !ok {
				panic(thrown)
			}
			p, err = nil, bad
		}
	}()
	c.node(t.root)
	c.emit(inst{op: opMatch})
	c.finish()
	return c.p, nil
}

func (c *compiler) emit(in inst) int {
	if len(c.code) >= maxCode {
		panic(tooLarge())
	}
	in.memo = -1
	c.code = append(c.code, in)
	return len(c.code) - 1
}

// remember makes an instruction one that remembers where it failed, where that depends on
// nothing but the position.
func (c *compiler) remember(at int) {
	if c.counted > 0 {
		return
	}
	c.code[at].memo = int32(c.p.memos)
	c.p.memos++
	c.p.nesting = append(c.p.nesting, slices.Clone(c.nesting))
}

func (c *compiler) here() int32 { return int32(len(c.code)) }

func (c *compiler) slot() int32 {
	c.slots++
	return int32(c.slots - 1)
}

func (c *compiler) node(n *node) {
	if c.steps++; c.steps&0x3f == 0 && c.stop != nil && c.stop() {
		panic(error(ErrStopped))
	}
	switch n.kind {
	case nodeEmpty:
	case nodeChar:
		c.char(n)
	case nodeClass:
		c.class(n)
	case nodeConcat:
		c.concat(n.kids)
	case nodeAlternate:
		c.alternate(len(n.kids), func(i int) { c.node(n.kids[i]) })
	case nodeLoop:
		c.loop(n)
	case nodeGroup:
		open, shut := int32(2*n.group), int32(2*n.group+1)
		if c.back {
			open, shut = shut, open
		}
		c.emit(inst{op: opSave, x: open})
		c.node(n.kids[0])
		c.emit(inst{op: opSave, x: shut})
	case nodeLook:
		c.look(n)
	case nodeLineStart:
		c.emit(inst{op: opLineStart, multiline: n.flags&Multiline != 0})
	case nodeLineEnd:
		c.emit(inst{op: opLineEnd, multiline: n.flags&Multiline != 0})
	case nodeWordBoundary:
		c.emit(inst{op: opBoundary, negative: n.negative, class: c.charClass(wordSet(n.flags))})
	case nodeBackReference:
		c.refs = true
		refs := make([]int32, len(n.refs))
		for i, r := range n.refs {
			refs[i] = int32(r)
		}
		c.emit(inst{op: opReference, refs: refs, ignoreCase: n.flags&IgnoreCase != 0, back: c.back})
	}
}

func (c *compiler) concat(kids []*node) {
	if c.back {
		for _, kid := range slices.Backward(kids) {
			c.node(kid)
		}
		return
	}
	for i := 0; i < len(kids); i++ {
		text := c.literal(kids[i:])
		if len(text) < 2 {
			c.node(kids[i])
			continue
		}
		c.emit(inst{op: opString, text: text})
		i += len(text) - 1
	}
}

// literal returns the characters that begin a sequence and are single units with one case.
func (c *compiler) literal(kids []*node) []uint16 {
	var text []uint16
	for _, kid := range kids {
		if kid.kind != nodeChar || kid.char > 0xffff || utf16.IsSurrogate(kid.char) && kid.flags.CodePoints() || kid.flags&IgnoreCase != 0 && len(sameAs(kid.char, kid.flags)) > 1 {
			break
		}
		text = append(text, uint16(kid.char))
	}
	return text
}

func (c *compiler) alternate(count int, branch func(int)) {
	var exits []int
	for i := range count {
		if i == count-1 {
			branch(i)
			break
		}
		split := c.emit(inst{op: opSplit})
		c.remember(split)
		c.code[split].x = c.here()
		branch(i)
		exits = append(exits, c.emit(inst{op: opJump}))
		c.code[split].y = c.here()
	}
	for _, at := range exits {
		c.code[at].x = c.here()
	}
}

func (c *compiler) look(n *node) {
	nesting, counted, back := c.nesting, c.counted, c.back
	c.nesting, c.counted, c.back = nil, 0, n.behind
	at := c.emit(inst{op: opLook, negative: n.negative})
	c.node(n.kids[0])
	c.emit(inst{op: opMatch})
	c.code[at].x = c.here()
	c.nesting, c.counted, c.back = nesting, counted, back
}

// sameAs returns a character and all that are the same when case is ignored.
func sameAs(r rune, f Flags) []rune {
	if r < 0x80 && !isLetter(r) {
		return []rune{r}
	}
	if isLetter(r) && !f.CodePoints() {
		return []rune{r &^ 0x20, r | 0x20}
	}
	if all := casingOf(f).same(r); all != nil {
		return all
	}
	return []rune{r}
}

func (c *compiler) char(n *node) {
	if n.flags&IgnoreCase != 0 {
		if all := sameAs(n.char, n.flags); len(all) > 1 {
			var pairs []rune
			for _, r := range all {
				pairs = append(pairs, r, r)
			}
			c.one(normalize(pairs), n.flags)
			return
		}
	}
	c.one(set{n.char, n.char}, n.flags)
}

func (c *compiler) class(n *node) {
	m := n.class.resolve(n.flags)
	if len(m.strings) == 0 {
		c.one(m.set, n.flags)
		return
	}
	// The strings, longest first; the single code points are before the empty string.
	branches := m.strings
	empty := len(branches[len(branches)-1]) == 0
	if empty {
		branches = branches[:len(branches)-1]
	}
	count := len(branches) + 1
	if empty {
		count++
	}
	c.alternate(count, func(i int) {
		switch {
		case i < len(branches):
			var kids []*node
			for _, r := range branches[i] {
				kids = append(kids, &node{kind: nodeChar, char: r, flags: n.flags})
			}
			c.concat(kids)
		case i == len(branches):
			c.one(m.set, n.flags)
		}
	})
}

// one matches one character of a set.
func (c *compiler) one(s set, f Flags) {
	if len(s) == 0 {
		c.emit(inst{op: opFail})
		return
	}
	r, single := s.single()
	units := c.units(s, f)
	switch {
	case single && r <= 0xffff && units:
		c.emit(inst{op: c.directed(opChar), char: uint16(r)})
	case single && r > 0xffff && !c.back:
		hi, lo := utf16.EncodeRune(r)
		c.emit(inst{op: opString, text: []uint16{uint16(hi), uint16(lo)}})
	case units:
		c.emit(inst{op: c.directed(opSet), class: c.charClass(s)})
	default:
		c.emit(inst{op: c.directed(opPoint), class: c.charClass(s)})
	}
}

// units reports whether a set can be matched with one unit, without looking whether it is
// half of a pair.
func (c *compiler) units(s set, f Flags) bool {
	return !f.CodePoints() || s[len(s)-1] <= 0xffff && disjoint(s, surrogates)
}

// directed is an instruction that looks in the direction in which the pattern is read here.
func (c *compiler) directed(op opcode) opcode {
	if !c.back {
		return op
	}
	switch op {
	case opChar:
		return opCharBack
	case opSet:
		return opSetBack
	}
	return opPointBack
}

func (c *compiler) charClass(s set) *charClass {
	key := classKey{length: len(s)}
	if len(s) > 0 {
		key.first = &s[0]
	}
	if k := c.known[key]; k != nil {
		return k
	}
	k := newCharClass(s)
	c.known[key] = k
	c.p.classes = append(c.p.classes, k)
	return k
}
