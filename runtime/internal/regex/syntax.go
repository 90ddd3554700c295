package regex

import "fmt"

// Flags are the flags of a regular expression. Their zero value is none.
type Flags uint8

// The flags, in the order of RegExp.prototype.flags.
const (
	HasIndices  Flags = 1 << iota // d
	Global                        // g
	IgnoreCase                    // i
	Multiline                     // m
	DotAll                        // s
	Unicode                       // u
	UnicodeSets                   // v
	Sticky                        // y
)

const flagLetters = "dgimsuvy"

// ParseFlags reads flags. ok is false if a letter is unknown or there twice, or if u and v
// are both there.
func ParseFlags(text string) (f Flags, ok bool) {
	for _, c := range text {
		one, known := flagOf(c)
		if !known || f&one != 0 {
			return 0, false
		}
		f |= one
	}
	return f, f&(Unicode|UnicodeSets) != Unicode|UnicodeSets
}

func flagOf(c rune) (Flags, bool) {
	for i, letter := range flagLetters {
		if c == letter {
			return 1 << i, true
		}
	}
	return 0, false
}

// String returns the letters.
func (f Flags) String() string {
	var out []byte
	for i := range len(flagLetters) {
		if f&(1<<i) != 0 {
			out = append(out, flagLetters[i])
		}
	}
	return string(out)
}

// CodePoints reports whether a pattern is about code points rather than code units.
func (f Flags) CodePoints() bool { return f&(Unicode|UnicodeSets) != 0 }

// SyntaxError says what is wrong with a pattern, and where: Offset counts UTF-16 code units.
type SyntaxError struct {
	Offset int
	Msg    string
}

// Error returns the message alone.
func (e *SyntaxError) Error() string { return e.Msg }

type kind uint8

const (
	nodeEmpty kind = iota
	nodeChar       // char
	nodeClass      // class
	nodeConcat
	nodeAlternate
	nodeLoop  // kids[0], min, max, lazy
	nodeGroup // kids[0], a capture
	nodeLook  // kids[0], negative, behind
	nodeLineStart
	nodeLineEnd
	nodeWordBoundary // negative: \B
	nodeBackReference
)

// node is a part of a pattern.
type node struct {
	kind     kind
	lazy     bool
	negative bool
	behind   bool
	flags    Flags // that hold here: modifiers change them
	char     rune
	class    *class
	kids     []*node
	min, max int    // of a loop; a negative max has no end
	group    int    // of a capture
	groups   [2]int // the first capture inside, and the one after the last
	refs     []int  // captures that a back reference may mean
}

// class is what is written in brackets, or an escape such as \d. Sets are made of it when the
// pattern is compiled: checking a pattern costs little.
type class struct {
	negative bool
	op       classOp
	items    []item
}

type classOp uint8

const (
	unionOf classOp = iota
	intersectionOf
	differenceOf
)

// item is a member of a class: a range, a set of an escape, a class or strings.
type item struct {
	lo, hi   rune
	set      set
	property *property
	negative bool // of set and property
	nested   *class
	strings  [][]rune
	kind     itemKind
}

type itemKind uint8

const (
	itemRange itemKind = iota
	itemSet
	itemWord // \w, which i and u widen
	itemProperty
	itemClass
	itemStrings
)

// mayHaveStrings reports whether a class may match other than one code point.
func (c *class) mayHaveStrings() bool {
	for i, it := range c.items {
		may := it.kind == itemStrings && it.longStrings() || it.kind == itemProperty && it.property.sequences ||
			it.kind == itemClass && it.nested.mayHaveStrings()
		switch c.op {
		case intersectionOf:
			if !may {
				return false
			}
			if i == len(c.items)-1 {
				return true
			}
		case differenceOf:
			return may // the first decides
		case unionOf:
			if may {
				return true
			}
		}
	}
	return false
}

func (it *item) longStrings() bool {
	for _, s := range it.strings {
		if len(s) != 1 {
			return true
		}
	}
	return false
}

func syntaxError(at int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}
