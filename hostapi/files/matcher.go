package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/schema"
)

// matcher finds lines. Most files hold none, so the text is searched some lines
// at a time first, and a line is looked at on its own only where something was
// found.
type matcher struct {
	re *regexp.Regexp
	// needed are texts of which each match has one, in lower case if folded is set.
	needed []string
	folded bool
	// alone is set if the ends of a text mean something to it that the ends of
	// lines do not: then it goes line by line.
	alone bool
	// ends is set if the end of a line means something to it: it knows "\n" alone as
	// one, so a text with "\r\n" goes line by line too.
	ends bool
	// returns is set if it asks for the CR of CR LF, which else is no part of a line.
	returns bool
	// piece is how much of a text is searched before the context is asked again.
	// The engine cannot be ended, and takes time in proportion to the text and
	// to the size of the pattern.
	piece int
}

// The work between two looks at the context, in bytes times instructions: some
// tenths of a second. And the bounds of a piece.
const (
	pieceWork          = 16 << 20
	leastPiece, atMost = 2 << 10, 64 << 10
)

// instead says what to do where a pattern has what RE2 does not have; empty where that is not why.
func instead(pattern string) string {
	lacking := regexp.MustCompile(`\(\?<?[=!]|\\[1-9]`)
	if !lacking.MatchString(pattern) {
		return ""
	}
	return "; it has no look-ahead, no look-behind and no \\1: search for more, and sort out the lines in the script, whose own regular expressions have them"
}

func compileMatcher(pattern string, fold bool) (*matcher, error) {
	size, err := schema.PatternSize(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression that can be used (RE2 syntax): %w%s", err, instead(pattern))
	}
	flags := "(?m)" // in a text of one line it changes nothing
	if fold {
		flags = "(?mi)"
	}
	re, err := regexp.Compile(flags + pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression (RE2 syntax): %w", err)
	}
	alone := strings.Contains(pattern, `\A`) || strings.Contains(pattern, `\z`) || strings.Contains(pattern, `(?`)
	texts, folded := needed(pattern, fold)
	m := &matcher{re: re, needed: texts, folded: folded, alone: alone, piece: min(max(pieceWork/max(size, 1), leastPiece), atMost)}
	if tree, err := syntax.Parse(flags+pattern, syntax.Perl); err == nil { // as the compiler has
		m.learn(tree)
	}
	return m, nil
}

// learn looks for what the ends of lines are to a pattern.
func (m *matcher) learn(tree *syntax.Regexp) {
	switch tree.Op {
	case syntax.OpEndLine, syntax.OpEndText:
		m.ends = true
	case syntax.OpLiteral:
		m.returns = m.returns || slices.Contains(tree.Rune, '\r')
	case syntax.OpCharClass: // that names it: \s and [^x] have it among others
		for i := 0; i+1 < len(tree.Rune); i += 2 {
			m.returns = m.returns || tree.Rune[i] == '\r' && tree.Rune[i+1] == '\r'
		}
	}
	for _, sub := range tree.Sub {
		m.learn(sub)
	}
}

// lines calls each for the lines of a text that match, until it reports false.
func (m *matcher) lines(ctx context.Context, text []byte, each func(number, at, end int) bool) error {
	finders := make([]*finder, len(m.needed))
	for i, needed := range m.needed {
		finders[i] = newFinder(needed, m.folded)
	}
	alone := m.alone || m.ends && bytes.IndexByte(text, '\r') >= 0
	number, counted := 1, 0 // the line number at offset counted
	for at := 0; at < len(text); {
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := lineEnd(text, min(at+m.piece, len(text)))
		if len(finders) > 0 {
			found := -1
			for _, f := range finders {
				if place := f.from(text, at); place >= 0 && (found < 0 || place < found) {
					found = place
				}
			}
			if found < 0 {
				return nil
			}
			at += bytes.LastIndexByte(text[at:found], '\n') + 1
			stop = lineEnd(text, found)
		} else if !alone && stop-at <= 2*m.piece {
			first := m.re.FindIndex(text[at:stop])
			if first == nil {
				at = stop + 1
				continue
			}
			at = bytes.LastIndexByte(text[:at+first[0]], '\n') + 1
		}
		for at < len(text) && at <= stop {
			end := lineEnd(text, at)
			line := text[at:end]
			if !m.returns {
				line = bytes.TrimSuffix(line, []byte("\r"))
			}
			matched, err := m.match(ctx, line)
			if err != nil {
				return err
			}
			if matched {
				number += bytes.Count(text[counted:at], []byte("\n"))
				counted = at
				if !each(number, at, end) {
					return nil
				}
			}
			at = end + 1
		}
	}
	return nil
}

// match looks at one line. One that is long is read by the engine, so that it
// comes to an end when the context does.
func (m *matcher) match(ctx context.Context, line []byte) (bool, error) {
	if len(line) <= m.piece {
		return m.re.Match(line), nil
	}
	matched := m.re.MatchReader(&endingReader{ctx: ctx, text: line})
	return matched, ctx.Err()
}

// endingReader reads a text, which ends early when its context does.
type endingReader struct {
	ctx  context.Context
	text []byte
	read int
}

// ReadRune implements [io.RuneReader].
func (r *endingReader) ReadRune() (rune, int, error) {
	if r.read++; len(r.text) == 0 || r.read%1024 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRune(r.text)
	r.text = r.text[size:]
	return c, size, nil
}
