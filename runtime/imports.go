package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi/plain"
	"github.com/scriptrun/scriptrun/runtime/internal/realm"
	"github.com/scriptrun/scriptrun/runtime/internal/wire"
)

// given is what a source was given of what it imports. Whoever asks is not trusted. It is for one
// goroutine at a time until its check is over, and then does not change.
type given struct {
	read  func(path string) ([]byte, error)
	texts map[string]string
	not   map[string]wire.Given // what was not given
	bytes int
}

// maxMissing is how many files can be asked for that are not there.
const maxMissing = 10 * MaxImports

// any reports whether anything was asked for.
func (g *given) any() bool { return g != nil && len(g.texts)+len(g.not) > 0 }

// give reads a file, if a source can import it. The same path has the same answer.
func (g *given) give(name string) wire.Given {
	if text, ok := g.texts[name]; ok {
		return wire.Given{Text: text}
	}
	if why, ok := g.not[name]; ok {
		return why
	}
	text, why := g.look(name)
	if why == (wire.Given{}) {
		g.texts[name] = text
		g.bytes += len(text)
		return wire.Given{Text: text}
	}
	if g.not == nil {
		g.not = map[string]wire.Given{}
	}
	if len(g.not) < maxMissing {
		g.not[name] = why
	}
	return why
}

// look reads a file, or says why not.
func (g *given) look(name string) (text string, why wire.Given) {
	refused := func(format string, args ...any) (string, wire.Given) {
		return "", wire.Given{Refused: fmt.Sprintf(format, args...)}
	}
	if err := realm.Importable(name); err != nil {
		return refused("%v", err)
	}
	switch {
	case g.read == nil:
		return refused("nothing can be imported here")
	case len(g.texts) == MaxImports:
		return refused("more than %d files are imported", MaxImports)
	case len(g.not) >= maxMissing:
		return refused("too many files were asked for that are not there")
	}
	raw, err := g.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", wire.Given{Missing: true}
	case err != nil:
		return refused("%v", err)
	case len(raw) > MaxSourceBytes:
		return refused("it is %d bytes; at most %d are taken", len(raw), MaxSourceBytes)
	case g.bytes+len(raw) > MaxImportedBytes:
		return refused("what is imported is more than %d bytes together", MaxImportedBytes)
	case !utf8.Valid(raw):
		return refused("it is not UTF-8")
	}
	return string(raw), wire.Given{}
}

// answer answers a cell that needs a file.
func (g *given) answer(in cell, f wire.Frame) error {
	var need wire.Need
	err := f.Decode(&need)
	if err == nil {
		f, err = wire.New(wire.KindGiven, g.give(need.Path), nil)
	}
	if err != nil {
		return &checkError{msg: "the worker that checked it asked for no file: " + err.Error()}
	}
	in.send(f)
	return nil
}

// same reports whether all that was asked for is as it was.
func (g *given) same(read func(path string) ([]byte, error)) bool {
	if !g.any() {
		return true
	}
	now := &given{read: read, texts: map[string]string{}}
	for name, text := range g.texts {
		if now.give(name) != (wire.Given{Text: text}) {
			return false
		}
	}
	for name, why := range g.not {
		if now.give(name) != why {
			return false
		}
	}
	return true
}

// again gives the same once more, and nothing else.
func (g *given) again() *given {
	if g == nil {
		return &given{}
	}
	return &given{texts: g.texts, not: g.not, read: func(string) ([]byte, error) { return nil, fs.ErrNotExist }}
}

// excerpt is the line of a flaw with a caret, if it is in a file that was given.
func (g *given) excerpt(f realm.Flaw) string {
	if f.File == "" {
		return ""
	}
	return plain.Excerpt(lineOf(g.texts[f.File], f.Line), f.Line, f.Col)
}

// Imported is a file that a program has besides its source.
type Imported struct {
	// Path leads to it from the folder of the source, with slashes.
	Path string `json:"path"`
	// Digest is its SHA-256, in hex.
	Digest string `json:"sha256"`
}

// Imported lists what the source imports, and what that imports, as it was read.
func (p *Program) Imported() []Imported { return slices.Clone(p.imports) }

// imported makes what the program imports a part of its digest.
func (p *Program) imported() {
	p.given.read = nil
	if len(p.checked.Files) == 0 {
		return
	}
	for _, name := range p.checked.Files {
		sum := sha256.Sum256([]byte(p.given.texts[name]))
		p.imports = append(p.imports, Imported{Path: name, Digest: hex.EncodeToString(sum[:])})
	}
	lines := p.digest + "\n"
	for _, f := range p.imports {
		lines += f.Digest + "  " + f.Path + "\n"
	}
	p.digest = fmt.Sprintf("%x", sha256.Sum256([]byte(lines)))
	p.key += " " + p.digest
}

// place is where a flaw is.
func (p *Program) place(f realm.Flaw) Position {
	at := Position{File: p.name, Line: f.Line, Col: f.Col}
	if f.File != "" {
		at.File = p.shown(f.File)
	}
	return at
}

// shown is the name of a file that the program imports, as people read it.
func (p *Program) shown(name string) string {
	return path.Join(path.Dir(filepath.ToSlash(p.name)), name)
}
