package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/scriptrun/scriptrun/hostapi"
	"github.com/scriptrun/scriptrun/hostapi/clip"
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

	own, packaged share // of texts
	nearest       int   // names that were looked for beside what is missing
}

// Provides reports whether the runtime itself answers an import, as it does node:path and path, so
// that no package can. It is safe for concurrent use.
func Provides(wanted string) bool { return realm.Provided(wanted) }

// share is how much of the files of one kind was given, and how many were asked for and not given.
type share struct{ files, bytes, missing int }

// What can be asked for that is not there: among the author's files, and in packages.
const (
	maxMissing         = 10 * MaxImports
	maxMissingPackaged = 10 * MaxPackageFiles
)

// of is the share that a file counts in, and the most of it; each is how large one file may be.
func (g *given) of(name string) (used *share, most share, each int) {
	if realm.PackageOf(name) != "" {
		return &g.packaged, share{MaxPackageFiles, MaxPackageBytes, maxMissingPackaged}, MaxPackageFileBytes
	}
	return &g.own, share{MaxImports, MaxImportedBytes, maxMissing}, MaxSourceBytes
}

// time is what reading and compiling what was given adds to the time of a check.
func (g *given) time() time.Duration {
	if g == nil {
		return 0
	}
	bytes, files := g.own.bytes+g.packaged.bytes, g.own.files+g.packaged.files
	return time.Duration(bytes)*time.Second>>20 + time.Duration(files)*time.Millisecond
}

// mostTime is the longest that [given.time] can be.
const mostTime = (MaxImportedBytes+MaxPackageBytes)*time.Second>>20 + (MaxImports+MaxPackageFiles)*time.Millisecond

// lighter says what to look for in a source whose check takes too long.
func (g *given) lighter() string {
	if g == nil || g.packaged.files == 0 {
		return "look for long chains of operators, and for functions among the parameters of functions"
	}
	sizes := map[string]int{}
	for name, text := range g.texts {
		if folder := realm.PackageOf(name); folder != "" {
			sizes[folder] += len(text)
		}
	}
	large := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b)) })
	for i, folder := range large {
		large[i] = fmt.Sprintf("%s (%d KB)", clip.Head(folder, 100), (sizes[folder]+999)/1000)
	}
	return fmt.Sprintf("it imports %d files of packages; import less of the largest, %s, or try again if the machine is busy", g.packaged.files, strings.Join(large[:min(len(large), 3)], ", "))
}

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
		used, _, _ := g.of(name)
		used.files++
		used.bytes += len(text)
		return wire.Given{Text: text}
	}
	if g.not == nil {
		g.not = map[string]wire.Given{}
	}
	if used, most, _ := g.of(name); used.missing < most.missing {
		used.missing++
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
	used, most, each := g.of(name)
	switch {
	case g.read == nil:
		return refused("nothing can be imported here")
	case used.files == most.files:
		return refused("more than %d files are imported", most.files)
	case used.missing >= most.missing:
		return refused("too many files were asked for that are not there")
	}
	raw, err := g.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", wire.Given{Missing: true, Nearest: g.near(err)}
	case err != nil:
		return refused("%v", err)
	case len(raw) > each:
		return refused("it is %d bytes; at most %d are taken", len(raw), each)
	case used.bytes+len(raw) > most.bytes:
		return refused("what is imported is more than %d bytes together", most.bytes)
	case !utf8.Valid(raw):
		return refused("it is not UTF-8")
	}
	return string(raw), wire.Given{}
}

// maxNearest is how often a name is looked for beside what is missing.
const maxNearest = 20

// near is the name that whoever reads files proposes for one that is missing; empty for none.
func (g *given) near(err error) string {
	var knows interface{ Nearest() string }
	if !errors.As(err, &knows) || g.nearest == maxNearest {
		return ""
	}
	g.nearest++
	return clip.Head(knows.Nearest(), hostapi.MaxNameBytes)
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
		is := now.give(name)
		if is.Nearest = why.Nearest; is != why { // a name that is proposed is no part of a program
			return false
		}
	}
	return true
}

// again gives the same once more, and nothing else. It adds as much to the time of a check.
func (g *given) again() *given {
	if g == nil {
		return &given{}
	}
	return &given{texts: g.texts, not: g.not, own: g.own, packaged: g.packaged, read: func(string) ([]byte, error) { return nil, fs.ErrNotExist }}
}

// excerpt is the line of a flaw with a caret, if it is in a file that was given.
func (g *given) excerpt(f realm.Flaw) string {
	if f.File == "" {
		return ""
	}
	return plain.Excerpt(lineOf(g.texts[f.File], f.Line), f.Line, f.Col)
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
