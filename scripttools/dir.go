package scripttools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/regular"
	"github.com/scriptrun/scriptrun/runtime"
)

// Dir is a directory of tool files.
type Dir struct {
	// Path is the directory. It must exist.
	Path string
	// Workspace is the folder in which .md files name their scripts, if Path lies in
	// it; then no symbolic link may lead Path out of it. For any other Path, and where
	// Workspace is "", it is the folder above Path: one directory serves every workspace.
	Workspace string
	// Accept, if it is set, is asked of each file that a tool is made of: the tool file, its script, and
	// what that imports. The path is absolute, and may lead through links. An error makes that tool
	// broken.
	Accept func(file string) error
}

// LoadDir loads the tool files of a directory whose workspace is the folder
// above it. See [Load].
func LoadDir(ctx context.Context, runner *runtime.Runner, path string) (*Catalog, error) {
	return Load(ctx, runner, Dir{Path: path})
}

// Load loads the tool files of a directory: its direct children that end in
// .js, .mjs, .ts, .mts or .md, in the order of their names. Names that begin with
// a dot are passed over. A script without a header is a module, never a tool; a
// Markdown file without a header is an error, unless it is a README.md.
//
// The error is a *[LoadError] with every problem of every file; then nothing
// is loaded. A directory that does not exist is such an error too, and it is
// fs.ErrNotExist; a caller who does not mind takes an empty [Catalog] then. A
// directory without any tool file is an empty catalog. When ctx has ended, the
// error is its cause.
func Load(ctx context.Context, runner *runtime.Runner, dir Dir) (*Catalog, error) {
	l, err := newLoader(runner)
	if err != nil {
		return nil, err
	}
	if p := l.dir(dir); p != nil {
		return nil, loadError([]Problem{*p})
	}
	l.checkAll(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	specs, err := l.finish()
	if err != nil {
		return nil, err
	}
	return newCatalog(runner, specs, l.read), nil
}

// LoadNamed loads one tool of a directory, by its name: of its files only those that
// mention the name or have it in escapes, since another could have it too, and of their
// scripts that of the tool alone is checked. Where nothing but other such files has problems,
// the tool is there and the error is a *[LoadError] all the same. It is an *[UnknownToolError]
// where no file has the name; then all headers have been read.
func LoadNamed(ctx context.Context, runner *runtime.Runner, dir Dir, name string) (*ScriptToolSpec, error) {
	if name == "" {
		return nil, &UnknownToolError{}
	}
	spec, err := loadNamed(ctx, runner, dir, name, name)
	if spec == nil && ctx.Err() == nil { // it may be written in another way, and other files may be why it is not there
		return loadNamed(ctx, runner, dir, name, "")
	}
	return spec, err
}

func loadNamed(ctx context.Context, runner *runtime.Runner, dir Dir, name, mention string) (*ScriptToolSpec, error) {
	l, err := newLoader(runner)
	if err != nil {
		return nil, err
	}
	l.wanted, l.mention = name, mention
	if p := l.dir(dir); p != nil {
		return nil, loadError([]Problem{*p})
	}
	l.checkAll(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	specs := l.compare()
	err = loadError(l.problems)
	spec, unknown := newCatalog(runner, specs, nil).Spec(name)
	switch {
	case unknown == nil && spec.Program != nil:
		return spec, err
	case err != nil:
		return nil, err
	}
	return nil, unknown
}

// dir loads the files of a directory. Everything is opened below the roots, so
// that no symbolic link leads out, not even one that is put there meanwhile.
func (l *loader) dir(dir Dir) *Problem {
	if dir.Path == "" {
		p := fileProblem("", "", nil, "no tools directory was named")
		return &p
	}
	if dir.Workspace == "" || !liesIn(dir.Path, dir.Workspace) {
		dir.Workspace = filepath.Join(dir.Path, "..")
		if absolute, err := filepath.Abs(dir.Path); err == nil && filepath.IsAbs(dir.Path) {
			dir.Workspace = filepath.Dir(absolute)
		}
	}
	realDir, err := realPath(dir.Path)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(realDir); err == nil && !info.IsDir() {
			err = errors.New("not a directory")
		}
	}
	if err != nil {
		p := directoryProblem(filepath.ToSlash(dir.Path), "tools directory", err)
		return &p
	}
	ws, p := openWorkspace(dir.Workspace)
	if p != nil {
		return p
	}
	defer ws.root.Close()
	l.workspace = ws
	rel, err := filepath.Rel(ws.real, realDir)
	if err != nil || !filepath.IsLocal(rel) {
		p := fileProblem(filepath.ToSlash(dir.Path), "name the directory that it leads to", nil,
			"a symbolic link leads the tools directory out of %s", quote(dir.Workspace))
		return &p
	}
	root, err := ws.root.OpenRoot(rel)
	if err != nil {
		p := directoryProblem(filepath.ToSlash(dir.Path), "tools directory", err)
		return &p
	}
	defer root.Close()
	l.from = dir
	return l.children(root, realDir, dir.Path)
}

// liesIn reports whether a path lies in a folder: by its name, or with the symbolic links
// before its last element followed. Where the last one leads is for the caller to judge,
// and so is what is no folder.
func liesIn(path, folder string) bool {
	absolute, err := filepath.Abs(path)
	if info, statErr := os.Stat(folder); err != nil || statErr != nil || !info.IsDir() {
		return true
	}
	in := func(path, folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	}
	if named, err := filepath.Abs(folder); err == nil && in(absolute, named) {
		return true
	}
	resolved, err := realPath(folder)
	above, aboveErr := realPath(filepath.Dir(absolute))
	return err == nil && aboveErr == nil && in(filepath.Join(above, filepath.Base(absolute)), resolved)
}

func (l *loader) children(root *os.Root, realDir, shown string) *Problem {
	entries, err := readEntries(root)
	if err != nil {
		p := directoryProblem(filepath.ToSlash(shown), "tools directory", err)
		return &p
	}
	for _, entry := range entries { // sorted by name
		name := entry.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".d.ts") ||
			!IsToolFile(name) && filepath.Ext(name) != ".cts" || l.markdownOnly && filepath.Ext(name) != ".md" {
			continue
		}
		path := filepath.ToSlash(filepath.Join(shown, name))
		raw, err := readCappedIn(root, name)
		was := sum{path: name}
		if err == nil {
			was.sum = sha256.Sum256(raw)
		}
		if l.read = append(l.read, was); l.sumsOnly {
			continue
		}
		if err != nil {
			l.problems = append(l.problems, childProblem(path, realDir, entry, err))
			continue
		}
		switch t := newText(path, raw); {
		case l.mention == "" || strings.HasPrefix(name, l.mention+".") || bytes.Contains(raw, []byte(l.mention)):
			l.child(t, name)
		case hasEscapes(raw):
			l.childIfWanted(t, name)
		}
		if l.first && len(l.headers) > 0 {
			break
		}
	}
	return nil
}

// hasEscapes reports whether a header may spell a name in another way.
func hasEscapes(raw []byte) bool {
	header, _, _ := bytes.Cut(raw, []byte("*/")) // that of a .md file may be all of it
	for _, escape := range []string{`\u`, `\U`, `\x`, "\\\n", "\\\r\n"} {
		if bytes.Contains(header, []byte(escape)) {
			return true
		}
	}
	return false
}

// childIfWanted loads a file that does not mention the name of the tool that is wanted. If it
// does not declare that tool, it is as if nobody had looked at it.
func (l *loader) childIfWanted(t *text, name string) {
	problems, drafts, servers, checks := len(l.problems), len(l.drafts), len(l.servers), len(l.checks)
	l.child(t, name)
	if l.wanted != "" && (len(l.drafts) == drafts || l.drafts[drafts].spec.Name != l.wanted) {
		l.problems, l.drafts, l.servers, l.checks = l.problems[:problems], l.drafts[:drafts], l.servers[:servers], l.checks[:checks]
	}
}

// maxEntries is how many files a tools directory may hold, tools or not.
const maxEntries = 10_000

// readEntries lists a directory, sorted by name.
func readEntries(root *os.Root) ([]fs.DirEntry, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > maxEntries {
		return nil, fmt.Errorf("more than %d files are in it", maxEntries)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// child loads a file of a directory, where not every file is a tool.
func (l *loader) child(t *text, name string) {
	switch filepath.Ext(name) {
	case ".cts":
		if _, found, _ := splitHeader(t, true); found {
			l.problems = append(l.problems, fileProblem(t.path, "", nil, noCommonTypes))
		}
	case ".md":
		if !l.load(t) && !isReadme(name) {
			p := missingHeader(t)
			p.Hint += "; only a README.md may lie here without one"
			l.problems = append(l.problems, p)
		}
	default:
		if strings.TrimSpace(string(t.body)) != "" { // a module may be empty
			l.load(t)
		}
	}
}

// childProblem is a file of the directory that cannot be read, or must not be.
func childProblem(path, realDir string, entry fs.DirEntry, err error) Problem {
	if entry.Type()&fs.ModeSymlink == 0 {
		return readProblem(path, err)
	}
	var shape *regular.ShapeError
	reach := linkReach(realDir, entry.Name())
	switch {
	case errors.As(err, &shape):
		return readProblem(path, err)
	case reach == reachOutside:
		return fileProblem(path, "copy the file, or move it here", err, "the symbolic link leads outside the tools directory")
	case reach == reachInside:
		return fileProblem(path, "make its target relative", err, "the symbolic link leads back here by way of another folder")
	}
	return fileProblem(path, "", err, "the symbolic link leads nowhere")
}
