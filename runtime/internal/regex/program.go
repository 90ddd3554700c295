package regex

// Program is a compiled pattern. It is immutable and safe for concurrent use.
type Program struct {
	flags   Flags
	groups  int // captures, without the whole match
	names   []namedGroup
	source  []uint16
	code    []inst
	regs    int          // slots of captures, positions and counters
	memos   int          // instructions that may remember where they failed; 0 if none may
	nesting [][]int32    // of memo, the positions that loops began at, around the instruction
	start   hint         // what a match may begin with
	prefix  []uint16     // or all it begins with
	ascii   []byte       // the same, if all of it is ASCII
	anchor  bool         // it can only begin at the beginning of the text
	classes []*charClass // of the program
}

// Flags returns the flags that it was compiled with.
func (p *Program) Flags() Flags { return p.flags }

// Groups returns how many groups capture, without the whole match.
func (p *Program) Groups() int { return p.groups }

// Named calls f for every named group, in their order.
func (p *Program) Named(f func(name string, group int)) {
	for _, n := range p.names {
		f(n.name, n.group)
	}
}

// HasNames reports whether there are named groups.
func (p *Program) HasNames() bool { return len(p.names) > 0 }

// size is about how much memory it takes, in bytes.
func (p *Program) size() int { return 256 + len(p.source)*2 + len(p.code)*112 + len(p.classes)*128 }

type opcode uint8

const (
	opMatch     opcode = iota
	opChar             // char
	opString           // text
	opSet              // a unit of class
	opPoint            // a code point of class
	opCharBack         // the same, of what is before the position
	opSetBack          //
	opPointBack        //
	opRun              // class, min to max times, lazy or not
	opSplit            // x, then y
	opJump             // x
	opSave             // slot x
	opReset            // captures x to y
	opMark             // position into slot x
	opProgress         // fails if the position is that of slot x, once counter y is above min
	opZero             // counter x
	opCount            // loop with counter min: body x, exit y
	opLook             // body follows; on at x
	opLineStart        //
	opLineEnd          //
	opBoundary         // class has the characters of words
	opReference        // refs
	opFail             //
)

// inst is an instruction. What its fields mean depends on op.
type inst struct {
	op         opcode
	lazy       bool
	negative   bool
	multiline  bool
	ignoreCase bool
	back       bool
	point      bool // opRun is of code points
	possessive bool // opRun need not give back
	char       uint16
	follow     int32 // opRun: the unit that has to follow, or -1
	x, y       int32
	min, max   int32
	slot       int32 // of a counter
	memo       int32 // number among those that remember, or -1
	class      *charClass
	text       []uint16
	refs       []int32
	hints      *[2]hint // opSplit: what x and y may begin with, if that excludes something
}

// charClass is a set, made for matching.
type charClass struct {
	low     [4]uint64 // the first 256
	high    set       // all others
	highAll bool      // it has all others
}

func newCharClass(s set) *charClass {
	k := &charClass{}
	for i := 0; i < len(s); i += 2 {
		for c := s[i]; c <= min(s[i+1], 0xff); c++ {
			k.low[c>>6] |= 1 << (c & 63)
		}
	}
	k.high = intersect(s, set{0x100, maxRune})
	k.highAll = len(k.high) == 2 && k.high[0] == 0x100 && k.high[1] == maxRune
	return k
}

func (k *charClass) has(c rune) bool {
	if c < 256 {
		return k.low[c>>6]>>(c&63)&1 != 0
	}
	return k.hasHigh(c)
}

func (k *charClass) hasHigh(c rune) bool {
	return k.highAll || len(k.high) > 0 && k.high.has(c)
}

// hint is what the next unit may be for a part to match.
type hint struct {
	low  [4]uint64
	high bool // any above 255
	any  bool // whatever follows, or nothing
	end  bool // the end of the text
}

func (h *hint) has(c uint16) bool {
	if c < 256 {
		return h.low[c>>6]>>(c&63)&1 != 0
	}
	return h.high
}

func (h *hint) add(o hint) {
	for i := range h.low {
		h.low[i] |= o.low[i]
	}
	h.high = h.high || o.high
	h.any = h.any || o.any
	h.end = h.end || o.end
}

func (h *hint) addClass(k *charClass) {
	h.add(hint{low: k.low, high: k.highAll || len(k.high) > 0})
}

func (h *hint) addUnit(c uint16) {
	if c < 256 {
		h.low[c>>6] |= 1 << (c & 63)
	} else {
		h.high = true
	}
}

// excludes reports whether nothing that a hint allows is in a class.
func (h *hint) excludes(k *charClass) bool {
	if h.any || h.high && (k.highAll || len(k.high) > 0) {
		return false
	}
	for i := range h.low {
		if h.low[i]&k.low[i] != 0 {
			return false
		}
	}
	return true
}
