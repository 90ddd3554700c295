package scripttools

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
)

// place is a position inside one file; both count from 1, columns in
// characters.
type place struct{ line, col int }

// text is a file that was read whole: what is loaded is what was read, once.
type text struct {
	path  string // as problems show it
	raw   []byte // as read: the digest's input
	body  []byte // raw without a byte order mark
	lines []string
	told  int // how many problems were placed
}

var (
	byteOrderMark = []byte("\xEF\xBB\xBF")
	utf16Marks    = []string{"\xFF\xFE", "\xFE\xFF"}
)

func newText(path string, raw []byte) *text {
	t := &text{path: path, raw: raw, body: bytes.TrimPrefix(raw, byteOrderMark)}
	t.lines = strings.Split(string(t.body), "\n")
	for i, line := range t.lines {
		t.lines[i] = strings.TrimSuffix(line, "\r")
	}
	return t
}

// problem is a problem at a place of the file, clamped to what is there. Those
// that are not shown any more have no excerpt: there can be as many as the file
// has words, in one line as long as the file.
func (t *text) problem(at place, hint, format string, args ...any) Problem {
	msg := shortened(fmt.Sprintf(format, args...))
	hint = shortened(hint)
	line := min(max(at.line, 1), len(t.lines))
	here := t.lines[line-1]
	if t.told++; t.told > maxShown {
		return Problem{Pos: runtime.Position{File: t.path, Line: line, Col: max(at.col, 1)}, Msg: msg, Hint: hint}
	}
	col := min(max(at.col, 1), utf8.RuneCountInString(here)+1)
	return Problem{
		Pos:     runtime.Position{File: t.path, Line: line, Col: col},
		Msg:     msg,
		Hint:    hint,
		Excerpt: plain.Excerpt(here, line, col),
	}
}

// placeOf is the place of a byte offset in body.
func (t *text) placeOf(offset int) place {
	before := t.body[:min(offset, len(t.body))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return place{line: bytes.Count(before, []byte("\n")) + 1, col: utf8.RuneCount(before[start:]) + 1}
}

// checkEncoding refuses what is not text: an empty file, NUL, non-UTF-8.
func (t *text) checkEncoding() (Problem, bool) {
	if len(bytes.TrimSpace(t.body)) == 0 {
		return fileProblem(t.path, "", nil, "the file is empty"), false
	}
	for _, mark := range utf16Marks {
		if strings.HasPrefix(string(t.raw), mark) {
			return t.problem(place{1, 1}, "save the file as UTF-8", "the file is UTF-16; a tool file is UTF-8"), false
		}
	}
	for i := 0; i < len(t.body); {
		r, size := utf8.DecodeRune(t.body[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			return t.problem(t.placeOf(i), "save the file as UTF-8", "byte 0x%02X is not UTF-8", t.body[i]), false
		case r == 0:
			return t.problem(t.placeOf(i), "", "a NUL byte; a tool file is text"), false
		}
		i += size
	}
	return Problem{}, true
}

// readCapped reads a tool file, or the script of one, that somebody named.
func readCapped(name string) ([]byte, error) { return regular.Read(name, runtime.MaxSourceBytes) }

// readCappedIn reads one in a folder.
func readCappedIn(root *os.Root, name string) ([]byte, error) {
	return regular.ReadIn(root, name, runtime.MaxSourceBytes)
}

// readProblem puts a failed read in one sentence, without the text of the
// error twice and without the absolute path that os.Root works on.
func readProblem(path string, err error) Problem {
	var shape *regular.ShapeError
	if errors.As(err, &shape) {
		return fileProblem(path, "", err, "%s", shape.Reason())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fileProblem(path, "", err, "no such file")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fileProblem(path, "", err, "the file cannot be read: %v", pathErr.Err)
	}
	return fileProblem(path, "", err, "the file cannot be read: %v", err)
}
