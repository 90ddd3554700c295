// Package yamlbound refuses YAML that takes a parser long, before it is parsed. The
// parser cannot be ended, and works on nesting, on the keys of a map, on documents
// and on long keys in more than linear time.
package yamlbound

import (
	"slices"

	"github.com/goccy/go-yaml/token"
)

// Bounds say how much may be parsed. A zero is a bound too: nothing passes it.
type Bounds struct {
	// Tokens is how many there may be.
	Tokens int
	// Depth is how deep brackets may be nested, and how many entries may begin in
	// one line, as in - - - x.
	Depth int
	// Keys is how many keys a map may have, and documents a file. Of several maps
	// the squares are added up: four may have half as many keys each.
	Keys int
	// Paths bounds the paths of all values together, in bytes: the parser keeps
	// one of every value, in which the keys around it stand written out.
	Paths int
	// Empty is how many entries and keys may have no value: for each, the parser moves all
	// tokens that follow.
	Empty int
}

// Exceeded finds what goes beyond the bounds: the token, and what there is too
// much of. What is empty if nothing does.
func (b Bounds) Exceeded(tokens token.Tokens) (at *token.Token, what string) {
	if len(tokens) == 0 {
		return nil, ""
	}
	if len(tokens) > b.Tokens {
		return tokens[b.Tokens], "values"
	}
	if b.longestKeys(tokens)*len(tokens) > b.Paths {
		return tokens[0], "text in keys"
	}
	depth, entries, line, empty := 0, 0, 0, 0
	keys := squares{most: b.Keys * b.Keys}
	for i, tk := range tokens {
		if tk.Position.Line != line {
			line, entries = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			entries++
			if depth == 0 {
				keys.end(tk.Position.Column)
			}
		case token.MappingKeyType:
			entries++
			keys.add(tk.Position.Column)
		case token.MappingValueType:
			if depth == 0 && i > 0 {
				keys.add(tokens[i-1].Position.Column)
			}
		case token.DocumentHeaderType, token.DocumentEndType:
			keys.add(0)
		}
		switch {
		case depth > b.Depth || entries > b.Depth:
			return tk, "nesting"
		case keys.sum > keys.most:
			return tk, "keys in one map, or documents"
		}
		if withoutValue(tokens, i) {
			empty++
		}
		if empty > b.Empty {
			return tk, "entries without a value"
		}
	}
	return nil, ""
}

// withoutValue reports whether a token begins an entry, or ends a key, that nothing follows. Keys
// behind a ? count, whatever follows them: they are rare.
func withoutValue(tokens token.Tokens, i int) bool {
	tk, column := tokens[i], tokens[i].Position.Column
	key := tk.Type == token.MappingValueType
	switch {
	case tk.Type == token.MappingKeyType: // its value is another token
		return true
	case key && i > 0:
		column = tokens[i-1].Position.Column
	case tk.Type != token.SequenceEntryType:
		return false
	}
	for i++; i < len(tokens) && tokens[i].Type == token.CommentType; i++ { //nolint:revive // to what is none
	}
	if i == len(tokens) {
		return true
	}
	switch next := tokens[i]; {
	case next.Type == token.CollectEntryType, next.Type == token.MappingEndType, next.Type == token.SequenceEndType:
		return true
	case next.Position.Line == tk.Position.Line:
		return false
	case key && next.Type == token.SequenceEntryType:
		return next.Position.Column < column
	default:
		return next.Position.Column <= column
	}
}

// longestKeys is the length of the longest keys together, as many as can stand
// around one value.
func (b Bounds) longestKeys(tokens token.Tokens) (size int) {
	var lengths []int
	for i, tk := range tokens {
		if i > 0 && tk.Type == token.MappingValueType {
			lengths = append(lengths, len(tokens[i-1].Value))
		}
	}
	slices.Sort(lengths)
	for _, length := range lengths[max(len(lengths)-b.Depth, 0):] {
		size += 1 + length
	}
	return size
}

// squares adds up the squares of how many keys each block map has. A map goes on
// until something begins to the left of it.
type squares struct {
	open      []columnKeys
	sum, most int
}

type columnKeys struct{ column, keys int }

// add counts a key that begins in a column.
func (s *squares) add(column int) {
	s.end(column)
	if len(s.open) == 0 || s.open[len(s.open)-1].column != column {
		s.open = append(s.open, columnKeys{column: column})
	}
	top := &s.open[len(s.open)-1]
	s.sum += 2*top.keys + 1
	top.keys++
}

// end closes the maps to the right of a column.
func (s *squares) end(column int) {
	for len(s.open) > 0 && s.open[len(s.open)-1].column > column {
		s.open = s.open[:len(s.open)-1]
	}
}
