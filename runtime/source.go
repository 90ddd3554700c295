package runtime

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/realm"
)

// Source is JavaScript to compile.
type Source struct {
	// Name is the file that errors and call sites show. A name that ends in .mjs, .ts or .mts
	// makes the source a strict ES module even if it exports nothing; the last two, TypeScript.
	Name string
	// Body is UTF-8, at most [MaxSourceBytes].
	Body []byte
	// FunctionBody says that Body is the body of run(ctx, inputs), for code that has no
	// file. Otherwise it is a file that exports or defines that function.
	FunctionBody bool
	// Import reads a file that the source imports, by its path from the folder of the source,
	// with slashes and without "..". Its error is fs.ErrNotExist if there is none; the text of
	// any other one is told. If an error that is fs.ErrNotExist has a method Nearest() string, an error
	// proposes the name that it gives, of a file or package beside the one that is missing. At most [MaxImports] files are read, of [MaxSourceBytes] each, and
	// [MaxImportedBytes] together, and of packages, in node_modules, at most [MaxPackageFiles] of
	// [MaxPackageFileBytes] each and [MaxPackageBytes] together. nil means that nothing can be
	// imported; a FunctionBody never can. It is not called for several files of one source at a time.
	Import func(path string) ([]byte, error)
	// MaxCheck is how long checking it may take in a worker; 0 and more than
	// [MaxCheckTime] mean that.
	MaxCheck time.Duration
}

// Program is a compiled source. It is immutable and safe for concurrent use. Only the
// [Runner] that compiled it can run it.
type Program struct {
	name    string
	digest  string
	known   string // the key of compiled programs
	key     string // of cells, which do not know what was imported
	source  string
	given   *given
	checked realm.Checked
	imports []Imported
}

// Name is the file.
func (p *Program) Name() string { return p.name }

// Digest is the SHA-256 of the source, in hex. If it imports, it is that of the lines of
// [Program.Imported] and, before them, the sum of the source.
func (p *Program) Digest() string { return p.digest }

// SourceSizeError is a source over [MaxSourceBytes].
type SourceSizeError struct {
	Name      string
	Size, Max int
}

// Error implements error.
func (e *SourceSizeError) Error() string {
	return fmt.Sprintf("%s: the source is %d bytes; at most %d are taken", e.Name, e.Size, e.Max)
}

// check fills in the name and refuses a source that is too large or not UTF-8.
func (s *Source) check() error {
	if s.Name == "" {
		s.Name = "(source)"
	}
	if len(s.Body) > MaxSourceBytes {
		return &SourceSizeError{Name: s.Name, Size: len(s.Body), Max: MaxSourceBytes}
	}
	if !utf8.Valid(s.Body) {
		return &CompileError{Problems: []Problem{{Pos: Position{File: s.Name}, Msg: "the source is not UTF-8"}}}
	}
	return nil
}

// program is the source's program before it is compiled.
func (s *Source) program() *Program {
	digest := fmt.Sprintf("%x", sha256.Sum256(s.Body))
	// The name and the form are part of the key: compiling depends on both, and the name
	// is in every position.
	key := fmt.Sprintf("%s %t %s", digest, s.FunctionBody, s.Name)
	return &Program{name: s.Name, digest: digest, known: key, key: key}
}

// Excerpt is the line of a position with a caret below the place; empty if there is no such line.
func (p *Program) Excerpt(pos Position) string {
	if pos.Line == 0 {
		return ""
	}
	return plain.Excerpt(p.line(pos), pos.Line, pos.Col)
}

// line returns the line of a position; empty if there is none.
func (p *Program) line(at Position) string {
	if at.File == p.name {
		return lineOf(p.source, at.Line)
	}
	for _, name := range p.checked.Files {
		if at.File == p.shown(name) {
			return lineOf(p.given.texts[name], at.Line)
		}
	}
	return ""
}

// before is what stands on a line before a place.
func (p *Program) before(at Position) string {
	line := []rune(p.line(at))
	return string(line[:min(max(at.Col-1, 0), len(line))])
}

func lineOf(source string, number int) string {
	for ; number > 1; number-- {
		_, rest, found := strings.Cut(source, "\n")
		if !found {
			return ""
		}
		source = rest
	}
	line, _, _ := strings.Cut(source, "\n")
	return strings.TrimSuffix(line, "\r")
}

// position converts a place that the engine reports, whose columns count bytes, to a
// Position, whose columns count characters.
func (p *Program) position(file, line, col int) Position {
	pos := Position{File: p.name, Line: line, Col: col}
	if 0 < file && file <= len(p.checked.Files) {
		pos.File = p.shown(p.checked.Files[file-1])
	}
	text := p.line(pos)
	if at := col - 1; at > 0 && at <= len(text) {
		pos.Col = 1 + utf8.RuneCountInString(text[:at])
	}
	return pos
}
