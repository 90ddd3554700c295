package runtime

import (
	"fmt"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/plain"
)

// Position is a place in a file. Lines and columns count from 1, columns in
// characters; a zero Line means that only the file is known.
type Position struct {
	File      string
	Line, Col int
}

// String is "file:line:col", or as much of it as is known.
func (p Position) String() string {
	if p.Line == 0 {
		return plain.Line(p.File)
	}
	return fmt.Sprintf("%s:%d:%d", plain.Line(p.File), p.Line, p.Col)
}

// Problem is one thing that is wrong with a source.
type Problem struct {
	Pos Position
	Msg string
}

// CompileError is the error of a source that is not a program, or whose check exceeded a
// limit. It has every problem found. A Pos without a line means the whole source.
type CompileError struct {
	Problems []Problem
	// Busy tells that the check got too little processor time, and that the source may be good: the
	// machine did other things.
	Busy bool

	source    string
	excerpts  []string        // of the problems that are in files that the source imports
	unchecked *uncheckedError // there was no cell to check it in
}

// Excerpt is the line of a problem, by its number, with a caret below the place, if it is in a
// file that the source imports; empty for others.
func (e *CompileError) Excerpt(problem int) string {
	if problem < 0 || problem >= len(e.excerpts) {
		return ""
	}
	return e.excerpts[problem]
}

// Error lists the problems, one a line, each with its place.
func (e *CompileError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Pos.String() + ": " + p.Msg
	}
	return strings.Join(lines, "\n")
}
