package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/scriptrun/scriptrun/hostapi/schema/internal/jsonschema"
)

// The bounds of patterns. Matching takes time in proportion to the text and to
// the size of the program; both, and the memory of the program, are known.
const (
	maxPatternBytes = 4096
	// maxPatternSize is how many instructions one pattern may become, and
	// maxPatternSizes all of a schema: (a{100}){10} is a thousand.
	maxPatternSize  = 5000
	maxPatternSizes = 50_000
)

// pattern is a compiled regular expression that knows its size.
type pattern struct {
	*regexp.Regexp
	size int
}

// patterns compiles those of one schema. Afterwards it only checks: the format
// "regex" asks that of values.
type patterns struct {
	known  map[string]*pattern
	sizes  int
	sealed bool
}

// compile is a [jsonschema.RegexpEngine].
func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if known, ok := p.known[text]; ok && !p.sealed {
		return known, nil
	}
	size, err := PatternSize(text)
	if err != nil {
		return nil, err
	}
	if p.sealed {
		return &pattern{size: size}, nil // that it can be read is all that is asked
	}
	if p.sizes += size; p.sizes > maxPatternSizes {
		return nil, fmt.Errorf("the patterns of this schema have more than %d parts together", maxPatternSizes)
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	known := &pattern{compiled, size}
	p.known[text] = known
	return known, nil
}

// PatternSize is about how many instructions a regular expression (RE2 syntax)
// becomes: matching takes time in proportion to that and to the text. The error
// says why the expression cannot be used: what is wrong with it, that it has more
// than 4096 bytes, or that it would become more than 5000 instructions.
func PatternSize(text string) (int, error) {
	if len(text) > maxPatternBytes {
		return 0, fmt.Errorf("it has %d bytes; %d is the most", len(text), maxPatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	size := sizeOf(tree)
	if size > maxPatternSize {
		return 0, fmt.Errorf("it repeats too much: written out it has more than %d parts; lower the counts in {}", maxPatternSize)
	}
	return size, nil
}

// sizeOf is about how many instructions an expression becomes, more than
// maxPatternSize if it is too many.
func sizeOf(re *syntax.Regexp) int {
	size := 0
	switch re.Op { //nolint:exhaustive // the others are one instruction, or none of their own
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCharClass:
		size = 1 + len(re.Rune)/8
	case syntax.OpCapture:
		size = 2
	case syntax.OpConcat, syntax.OpRepeat:
	default:
		size = max(len(re.Sub), 1)
	}
	for _, sub := range re.Sub {
		if size += sizeOf(sub); size > maxPatternSize {
			break
		}
	}
	if re.Op == syntax.OpRepeat {
		size = min(size, maxPatternSize+1) * max(re.Max, re.Min+1, 1)
	}
	return min(size, maxPatternSize+1)
}
