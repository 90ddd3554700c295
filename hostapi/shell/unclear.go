package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// unclear is why a line cannot be written anew, and where in it.
type unclear struct {
	at     place
	reason string // what stands there, and what to write instead
}

// Error implements error.
func (u *unclear) Error() string {
	if u.at.line == 0 {
		return u.reason
	}
	return fmt.Sprintf("at %d:%d, %s", u.at.line, u.at.column, u.reason)
}

func opaque(at place, format string, args ...any) *unclear {
	return &unclear{at: at, reason: fmt.Sprintf(format, args...)}
}

// placeOf is the place of a parser's position; none for an invalid one.
func placeOf(pos syntax.Pos) place {
	if !pos.IsValid() {
		return place{}
	}
	return place{line: int(pos.Line()), column: int(pos.Col())}
}

// characters is p with its column counted in characters of text.
func (p place) characters(text string) place {
	if p.line == 0 {
		return p
	}
	rows := strings.Split(text, "\n")
	if p.line <= len(rows) {
		row := rows[p.line-1]
		p.column = 1 + utf8.RuneCountInString(row[:min(max(p.column-1, 0), len(row))])
	}
	return p
}
