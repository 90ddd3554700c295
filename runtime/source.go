package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/runtime/internal/realm"
)

// Form is how a source is written. The zero Form is [FormFile].
type Form int

// The forms of a source.
const (
	// FormFile is a file that exports, or defines, a function run(ctx, inputs).
	FormFile Form = iota
	// FormBody is the body of such a function, for code that has no file.
	FormBody
)

// Source is JavaScript to compile.
type Source struct {
	// Name is the file, as errors and call sites show it. A name that ends in
	// .mjs makes the source an ES module, and strict, whatever it exports.
	Name string
	// Body is UTF-8, at most [MaxSourceBytes].
	Body []byte
	Form Form
	// MaxCheck is how long checking it may take, where scripts have workers; 0
	// means [MaxCheckTime], and more than that is that.
	MaxCheck time.Duration
}

// Program is a source that compiles and has an entry: immutable, safe for
// concurrent use, and run by the [Runner] that compiled it.
type Program struct {
	name    string
	digest  string
	key     string // of caches; see Source.key
	source  string
	checked realm.Checked
}

// Name is the file.
func (p *Program) Name() string { return p.name }

// Digest is the SHA-256 of the source, in hex.
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

// check fills in the name and refuses what is no text of the right size.
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

// module: by its name it is one, and strict whatever it exports.
func (s *Source) module() bool { return path.Ext(s.Name) == ".mjs" }

// key identifies what compiling yields: the text, and how it is read. The name
// is part of it, as it is of every position.
func (s *Source) key(digest string) string {
	return fmt.Sprintf("%s %d %s", digest, s.Form, s.Name)
}

func (s *Source) digest() string {
	sum := sha256.Sum256(s.Body)
	return hex.EncodeToString(sum[:])
}

// program is one that is not compiled yet.
func (s *Source) program() *Program {
	digest := s.digest()
	return &Program{name: s.Name, digest: digest, key: s.key(digest)}
}

// line returns a line of the source, counted from 1; empty if there is none.
func (p *Program) line(number int) string { return lineOf(p.source, number) }

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

// position converts a place that the engine reports, whose columns count
// bytes, to one of the file, whose columns count characters.
func (p *Program) position(line, col int) Position {
	pos := Position{File: p.name, Line: line, Col: col}
	text := p.line(line)
	if at := col - 1; at > 0 && at <= len(text) {
		pos.Col = 1 + utf8.RuneCountInString(text[:at])
	}
	return pos
}
