package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	gitignore "github.com/sabhiram/go-gitignore"
)

// maxWalked is how many entries a walk looks at.
const maxWalked = 200_000

// skipped are folders without sources of their own. They are walked when they
// are named.
var skipped = []string{
	".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".gradle", ".terraform", ".next", ".nuxt", ".cache",
}

// walk calls visit for every file below a folder, or for the one file, in the
// order of names. Links are told and not followed. complete is false if there
// were more than maxWalked entries.
func (w *Workspace) walk(ctx context.Context, rel string, visit func(file string, entry fs.DirEntry) error) (complete bool, err error) {
	info, err := w.root.Stat(filepath.FromSlash(rel))
	if err != nil {
		return false, plain(rel, err)
	}
	if !info.IsDir() {
		return true, visit(rel, fs.FileInfoToDirEntry(info))
	}
	k := &walker{workspace: w, ctx: ctx, visit: visit, left: maxWalked}
	err = k.folder(rel, w.rulesAbove(rel))
	if errors.Is(err, errWalked) {
		return false, nil
	}
	return true, err
}

var errWalked = errors.New("there is more than a walk looks at")

type walker struct {
	workspace *Workspace
	ctx       context.Context
	visit     func(string, fs.DirEntry) error
	left      int
}

func (k *walker) folder(rel string, rules []ignoreFile) error {
	if err := k.ctx.Err(); err != nil {
		return err
	}
	children, err := k.workspace.children(rel)
	if err != nil {
		return nil // it has gone, or is not ours to read
	}
	rules = k.workspace.withRules(rules, rel, children)
	for _, child := range children {
		if k.left--; k.left < 0 {
			return errWalked
		}
		name := path.Join(rel, child.Name())
		if ignored(rules, name, child.IsDir()) {
			continue
		}
		if !child.IsDir() {
			if err := k.visit(name, child); err != nil {
				return err
			}
			continue
		}
		if slices.Contains(skipped, child.Name()) {
			continue
		}
		if err := k.folder(name, rules); err != nil {
			return err
		}
	}
	return nil
}

// ignoreFile is a .gitignore and the folder that it is in.
type ignoreFile struct {
	folder string
	rules  *gitignore.GitIgnore
}

const (
	ignoreName = ".gitignore"
	maxIgnore  = 256 << 10
)

// withRules adds the .gitignore of a folder, if it has one.
func (w *Workspace) withRules(rules []ignoreFile, rel string, children []fs.DirEntry) []ignoreFile {
	has := slices.ContainsFunc(children, func(c fs.DirEntry) bool { return c.Name() == ignoreName && c.Type().IsRegular() })
	if !has {
		return rules
	}
	text, err := w.readAll(path.Join(rel, ignoreName), maxIgnore)
	if err != nil {
		return rules
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	return append(slices.Clip(rules), ignoreFile{rel, gitignore.CompileIgnoreLines(lines...)})
}

// rulesAbove collects what the folders above a folder ignore.
func (w *Workspace) rulesAbove(rel string) []ignoreFile {
	var rules []ignoreFile
	if rel == "." {
		return nil
	}
	folder := "."
	for part := range strings.SplitSeq(rel, "/") {
		if children, err := w.children(folder); err == nil {
			rules = w.withRules(rules, folder, children)
		}
		folder = path.Join(folder, part)
	}
	return rules
}

// ignored: any file above may say so. A later file cannot take it back, which
// git would let it; what it names again is then missing from a walk, and can
// still be read by its path.
func ignored(rules []ignoreFile, name string, folder bool) bool {
	for _, r := range rules {
		rel := name
		if r.folder != "." {
			rel = strings.TrimPrefix(name, r.folder+"/")
		}
		if folder {
			rel += "/"
		}
		if r.rules.MatchesPath(rel) {
			return true
		}
	}
	return false
}
