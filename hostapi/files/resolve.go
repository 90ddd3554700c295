package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// errOutside is a path that leads out of the workspace.
type errOutside struct{ path string }

func (e *errOutside) Error() string {
	return fmt.Sprintf("%s is outside the workspace; name a path within it", shown(e.path))
}

// maxPath is how long a path may be, in bytes.
const maxPath = 4096

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// resolve turns a path as given into the path below the workspace that it
// leads to, with slashes and with links followed. What does not exist resolves
// to itself.
func (w *Workspace) resolve(given string) (string, error) {
	rel, err := w.relative(given)
	if err != nil || rel == "." {
		return rel, err
	}
	r := &resolution{workspace: w, given: given, rest: strings.Split(rel, "/")}
	if err := r.restart(); err != nil {
		return "", plain(given, err)
	}
	defer func() { r.in.close() }() // it changes on the way
	for len(r.rest) > 0 {
		if err := r.step(); err != nil {
			return "", err
		}
	}
	return r.done, nil
}

// resolveName is resolve for tools that act on what has a name, be it a link: it
// follows the links of the folders above, and not the last one.
func (w *Workspace) resolveName(given string) (string, error) {
	rel, err := w.relative(given)
	if err != nil || rel == "." {
		return rel, err
	}
	dir, err := w.resolve(path.Dir(rel))
	return path.Join(dir, path.Base(rel)), err
}

// resolution is a path on the way to where it leads.
type resolution struct {
	workspace *Workspace
	given     string
	in        folder // what done leads to, open
	done      string // without links
	rest      []string
	links     int
}

func (r *resolution) restart() error {
	in, err := r.workspace.root.sub(".")
	if err != nil {
		return err
	}
	if r.in != nil {
		r.in.close()
	}
	r.in, r.done = in, "."
	return nil
}

// step takes one name of the rest.
func (r *resolution) step() error {
	name := r.rest[0]
	at, err := r.in.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nor does what is below it
		r.done, r.rest = path.Join(r.done, path.Join(r.rest...)), nil
		return nil
	case err != nil:
		return plain(r.given, err)
	case at.Mode()&fs.ModeSymlink != 0:
		return r.follow(name)
	}
	if len(r.rest) > 1 {
		next, err := r.in.sub(name)
		if err != nil && !at.IsDir() {
			return fmt.Errorf("%s is not a directory, so that %s cannot be in it", shown(path.Join(r.done, name)), shown(r.given))
		}
		if err != nil {
			return plain(r.given, err)
		}
		r.in.close()
		r.in = next
	}
	r.done, r.rest = path.Join(r.done, name), r.rest[1:]
	return nil
}

// follow goes on at what a link names, from the top.
func (r *resolution) follow(name string) error {
	if r.links++; r.links > maxLinks {
		return fmt.Errorf("%s goes through more than %d symbolic links", shown(r.given), maxLinks)
	}
	target, err := r.in.readlink(name)
	if err != nil {
		return plain(r.given, err)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(r.workspace.real, filepath.FromSlash(r.done), target)
	}
	if target, err = r.workspace.relative(target); err != nil {
		return &errOutside{r.given}
	}
	if target == "." {
		r.rest = r.rest[1:]
	} else {
		r.rest = append(strings.Split(target, "/"), r.rest[1:]...)
	}
	if err := r.restart(); err != nil {
		return plain(r.given, err)
	}
	return nil
}

// relative is a path below the workspace with slashes, cleaned as text.
func (w *Workspace) relative(given string) (string, error) {
	switch {
	case strings.ContainsRune(given, 0):
		return "", errors.New("a path holds no NUL byte")
	case len(given) > maxPath:
		return "", fmt.Errorf("a path of %d bytes is longer than %d, which no program takes", len(given), maxPath)
	}
	local := filepath.FromSlash(given)
	if filepath.IsAbs(local) {
		rel, err := filepath.Rel(w.real, local)
		if err != nil {
			return "", &errOutside{given}
		}
		local = rel
	}
	local = filepath.Clean(local)
	if !filepath.IsLocal(local) {
		return "", &errOutside{given}
	}
	rel := filepath.ToSlash(local)
	if rel == stageName || strings.HasPrefix(rel, stageName+"/") {
		return "", fmt.Errorf("%s is where scriptrun writes what has no name yet; name another path", shown(given))
	}
	return rel, nil
}
