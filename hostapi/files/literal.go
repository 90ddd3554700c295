package files

import (
	"bytes"
	"regexp/syntax"
	"strings"
)

// Bounds of the texts that a pattern needs: shorter ones are found too often for a look at
// each to be worth it, each of several is a search of its own, and a longer one takes longer
// to compare, in a text that is all but it.
const (
	leastNeeded = 2
	mostNeeded  = 8
	maxNeeded   = 24
)

// needed is texts of which every match of a pattern holds one, in lower case where fold is
// set; none if there are no such texts. Most lines of most files can be passed over by them.
func needed(pattern string, fold bool) (texts []string, folded bool) {
	flags := syntax.Perl
	if fold {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, false
	}
	return textsOf(re.Simplify())
}

func textsOf(re *syntax.Regexp) (texts []string, folded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if folded = re.Flags&syntax.FoldCase != 0; folded {
			text = plainlyFolded(text)
		}
		if len(text) < leastNeeded {
			return nil, false
		}
		return []string{text}, folded
	case syntax.OpCapture, syntax.OpPlus:
		return textsOf(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range joined(re.Sub) {
			if other, f := textsOf(sub); shortest(other) > shortest(texts) {
				texts, folded = other, f
			}
		}
		return texts, folded
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			other, f := textsOf(sub)
			if len(other) == 0 || i > 0 && f != folded || len(texts)+len(other) > mostNeeded {
				return nil, false
			}
			texts, folded = append(texts, other...), f
		}
		return texts, folded
	}
	return nil, false
}

// joined is the parts of a sequence with literals that stand side by side in one. A literal that
// is repeated ends one, and begins another.
func joined(parts []*syntax.Regexp) (all []*syntax.Regexp) {
	var open *syntax.Regexp // a literal that more can join
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		repeated := part.Op == syntax.OpPlus && part.Sub[0].Op == syntax.OpLiteral
		switch {
		case part.Op == syntax.OpConcat:
			parts = append(append([]*syntax.Regexp{}, part.Sub...), parts...)
			continue
		case part.Op != syntax.OpLiteral && !repeated:
			all, open = append(all, part), nil
			continue
		}
		literal := *part
		if repeated {
			literal = *part.Sub[0]
		}
		if open != nil && (open.Flags^literal.Flags)&syntax.FoldCase == 0 {
			open.Rune = append(append([]rune{}, open.Rune...), literal.Rune...)
		} else {
			open = &literal
			all = append(all, open)
		}
		if repeated {
			again := *part.Sub[0]
			open = &again
			all = append(all, open)
		}
	}
	return all
}

func shortest(texts []string) int {
	least := 0
	for i, text := range texts {
		if i == 0 || len(text) < least {
			least = len(text)
		}
	}
	return least
}

// plainlyFolded is the longest part of a text that is ASCII and has no letter besides its two
// forms there, as k and s have, in lower case.
func plainlyFolded(text string) string {
	longest := ""
	odd := func(r rune) bool { return r >= 0x80 || strings.ContainsRune("kKsS", r) }
	for _, part := range strings.FieldsFunc(text, odd) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return strings.ToLower(longest)
}

// finder finds a text by the byte of it that is least often in others.
type finder struct {
	text []byte
	fold bool // it is in lower case, and found in either
	rare int
	next [2]int // where that byte is next, and its other case, from the last place that was asked about on
}

// frequent are bytes of source texts, the most frequent first.
const frequent = " etanrisolcdpufmhgbyvw.,()\n\t_\"=/-:;0{}1kx2*jqz"

func newFinder(text string, fold bool) *finder {
	f := &finder{text: []byte(text[:min(len(text), maxNeeded)]), fold: fold, next: [2]int{-1, -1}}
	rarest := -1
	for i, c := range f.text {
		rank := strings.IndexByte(frequent, c)
		if rank < 0 {
			rank = len(frequent)
		}
		if rank > rarest {
			f.rare, rarest = i, rank
		}
	}
	return f
}

// from is the first place from at on where the text stands; -1 for none.
func (f *finder) from(in []byte, at int) int {
	for {
		c := f.text[f.rare]
		place := f.byteFrom(in, 0, c, at+f.rare)
		if f.fold && c-'a' < 26 {
			place = min(place, f.byteFrom(in, 1, c-('a'-'A'), at+f.rare))
		}
		begin := place - f.rare
		if begin+len(f.text) > len(in) {
			return -1
		}
		if f.stands(in[begin:]) {
			return begin
		}
		at = begin + 1
	}
}

// byteFrom is where a byte is from at on; after the end for nowhere.
func (f *finder) byteFrom(in []byte, i int, c byte, at int) int {
	if f.next[i] < at {
		f.next[i] = len(in) + f.rare
		if found := bytes.IndexByte(in[min(at, len(in)):], c); found >= 0 {
			f.next[i] = at + found
		}
	}
	return f.next[i]
}

func (f *finder) stands(in []byte) bool {
	for i, want := range f.text {
		c := in[i]
		if f.fold && c-'A' < 26 {
			c += 'a' - 'A'
		}
		if c != want {
			return false
		}
	}
	return true
}
