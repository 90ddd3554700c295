package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
)

// maxWalked is how many entries a walk looks at.
const maxWalked = 200_000

// skipped are folders without sources of their own. They are walked when they
// are named.
var skipped = []string{
	".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".gradle", ".terraform", ".next", ".nuxt", ".cache",
}

// maxDeep is how many folders deep a walk goes; each holds a descriptor.
const maxDeep = 250

// walked is a file that a walk came by. What it is, is known for certain only when
// it is opened, by its name in the folder that it was found in.
type walked struct {
	path    string // below the workspace
	in      folder
	name    string
	regular bool
}

// walk calls visit for every file below a folder, or for the one file, in the
// order of names. Each folder is opened in the one above it, and links are told
// and not followed. complete is false if there were more than maxWalked entries,
// or folders deeper than maxDeep.
func (w *Workspace) walk(ctx context.Context, at place, visit func(file walked) error) (complete bool, err error) {
	in, name, err := w.parent(at.rel)
	if err != nil {
		return false, plain(at.given, err)
	}
	defer in.close()
	info, err := in.lstat(name)
	if err != nil {
		return false, plain(at.given, err)
	}
	if !info.IsDir() {
		if info.Mode()&fs.ModeSymlink != 0 {
			return false, &changedError{at.given}
		}
		return true, visit(walked{at.rel, in, name, info.Mode().IsRegular()})
	}
	if !at.folder { // a rule that names a file does not grant a folder that took its place
		return false, &changedError{at.given}
	}
	d, err := in.sub(name)
	if err != nil {
		return false, plain(at.given, err)
	}
	k := &walker{ctx: ctx, visit: visit, left: maxWalked}
	err = k.folder(d, at.rel, w.rulesAbove(at.rel), 0)
	if errors.Is(err, errWalked) {
		return false, nil
	}
	return !k.deeper, err
}

var errWalked = errors.New("there is more than a walk looks at")

type walker struct {
	ctx    context.Context
	visit  func(walked) error
	left   int
	deeper bool
}

// folder walks an open folder, and closes it.
func (k *walker) folder(d folder, rel string, rules *ignores, depth int) error {
	defer d.close()
	if err := k.ctx.Err(); err != nil {
		return err
	}
	children, err := d.entries()
	if err != nil {
		return nil // it has gone, or is not ours to read
	}
	rules = rules.with(d, rel, children)
	for _, child := range children {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		if k.left--; k.left < 0 {
			return errWalked
		}
		name := path.Join(rel, child.Name())
		if name == stageName || rules.ignored(name, child.IsDir()) {
			continue
		}
		if !child.IsDir() {
			if err := k.visit(walked{name, d, child.Name(), child.Type().IsRegular()}); err != nil {
				return err
			}
			continue
		}
		if slices.Contains(skipped, child.Name()) {
			continue
		}
		if depth == maxDeep {
			k.deeper = true
			continue
		}
		below, err := d.sub(child.Name())
		if err != nil {
			continue // it has gone, or is no folder any more, or is not ours to read
		}
		if err := k.folder(below, name, rules, depth+1); err != nil {
			return err
		}
	}
	return nil
}
