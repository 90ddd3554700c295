package scripttools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/clip"
	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime"
)

// Problem is one thing wrong with a tool file, or with where it lies.
type Problem struct {
	// Pos is the offending key or value. A zero Line means the file as a whole.
	Pos runtime.Position
	// Msg says what is wrong and what was expected, in one sentence.
	Msg string
	// Hint says what to do about it; empty where Msg leaves no doubt.
	Hint string
	// Excerpt is the offending line with a caret below the place, two lines of
	// text without a final newline; empty where no line is known, and after the
	// first hundred problems of a file.
	Excerpt string

	cause error
	of    string // the script that imports the file; empty for a problem of a tool file itself
}

// Error is the problem as people read it: place, message, line, caret, hint.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Pos.String() + ": " + plain.Quote(p.Msg))
	if p.Excerpt != "" {
		b.WriteString("\n" + p.Excerpt)
	}
	if p.Hint != "" {
		b.WriteString("\n    hint: " + plain.Quote(p.Hint))
	}
	return b.String()
}

// Unwrap gives the error that the problem was found by, such as fs.ErrNotExist
// or a *[hostapi.RuleError]; nil for most.
func (p *Problem) Unwrap() error { return p.cause }

// maxShown bounds what LoadError.Error prints; Problems holds them all.
const maxShown = 100

// LoadError is a load that failed: every problem of every file, sorted by
// file, line and column. Nothing was loaded.
type LoadError struct {
	Problems []Problem
}

// Error shows the first hundred problems, each with file:line:col and a caret,
// and how many more there are.
func (e *LoadError) Error() string {
	var b strings.Builder
	for i := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "\nand %d more", len(e.Problems)-maxShown)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Problems[i].Error())
	}
	return b.String()
}

// Place is where the first problem is, and its line; reports have it.
func (e *LoadError) Place() (runtime.Position, string) {
	return e.Problems[0].Pos, e.Problems[0].Excerpt
}

// Unwrap lists the problems, each a *[Problem], for errors.As and errors.Is.
func (e *LoadError) Unwrap() []error {
	out := make([]error, len(e.Problems))
	for i := range e.Problems {
		out[i] = &e.Problems[i]
	}
	return out
}

// loadError sorts problems and drops repetitions; nil if there are none.
func loadError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			strings.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
			strings.Compare(a.Msg, b.Msg),
		)
	})
	problems = slices.CompactFunc(problems, func(a, b Problem) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
	return &LoadError{Problems: problems}
}

// maxMessage bounds a message, and a hint, in bytes: both may have words of the
// file in them, of any length.
const maxMessage = 1 << 10

// shortened is a message, or what stands in one, within that bound.
func shortened[T ~string | ~[]byte](msg T) string {
	if len(msg) <= maxMessage {
		return string(msg)
	}
	return fmt.Sprintf("%s… (%d bytes)", clip.Head(string(msg[:maxMessage+1]), maxMessage), len(msg))
}

// fileProblem is a problem of a file as a whole.
func fileProblem(path, hint string, cause error, format string, args ...any) Problem {
	return Problem{Pos: runtime.Position{File: path}, Msg: shortened(fmt.Sprintf(format, args...)), Hint: shortened(hint), cause: cause}
}
