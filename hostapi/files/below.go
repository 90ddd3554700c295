package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// errLink is a link that stands where none was when a path was resolved.
var errLink = errors.New("is a symbolic link")

// changedError is a path that is no longer what was decided on.
type changedError struct{ path string }

// Error implements error.
func (e *changedError) Error() string {
	return fmt.Sprintf("%s changed while it was used; try again", shown(e.path))
}

// folder opens a folder of the workspace by a path that was resolved: through no
// link, whatever stands on the way by now.
func (w *Workspace) folder(rel string) (folder, error) {
	if rel == "." {
		return w.root.sub(".")
	}
	if !w.walkOnly {
		if d, done, err := w.root.beneath(rel); done {
			return d, err
		}
	}
	at, err := w.root.sub(".")
	for part := range strings.SplitSeq(rel, "/") {
		if err != nil {
			return nil, err
		}
		if part == "" || part == "." || part == ".." {
			err = fs.ErrInvalid // a resolved path has no such parts
		}
		var next folder
		if err == nil {
			next, err = at.sub(part)
		}
		at.close()
		at = next
	}
	return at, err
}

// parent opens the folder that a path lies in. The caller closes it.
func (w *Workspace) parent(rel string) (in folder, name string, err error) {
	in, err = w.folder(path.Dir(rel))
	return in, path.Base(rel), err
}

// parentMade is parent, and makes the folders that are missing.
func (w *Workspace) parentMade(rel string) (in folder, name string, err error) {
	dir := path.Dir(rel)
	if in, err = w.folder(dir); !errors.Is(err, fs.ErrNotExist) {
		return in, path.Base(rel), err
	}
	if in, err = w.root.sub("."); err != nil {
		return nil, "", err
	}
	for part := range strings.SplitSeq(dir, "/") {
		next, err := in.sub(part)
		if errors.Is(err, fs.ErrNotExist) {
			if err = in.mkdir(part, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = in.sub(part)
			}
		}
		in.close()
		if err != nil {
			return nil, "", err
		}
		in = next
	}
	return in, path.Base(rel), nil
}

// lstat is the info of what stands at a resolved path, of a link itself too.
func (w *Workspace) lstat(rel string) (*info, error) {
	in, name, err := w.parent(rel)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return in.lstat(name)
}

func sortByName(list []fs.DirEntry) {
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}
