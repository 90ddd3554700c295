package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Commands may replace folders by links while the host works, to lead it to files that they
// may not write themselves. So the host acts on names only in a folder that it holds open,
// and that it reached name by name, through no link.

// errMoved says that a file was replaced between the look at it and the action on it.
var errMoved = errors.New("another file has taken its place")

// place is a folder that is held open, whatever happens to its path.
type place struct {
	*os.Root
	path string
	back []func()
}

// openPlace opens the folder at a path below top, or top itself. Until it is closed, openPlace
// gives the owner of the folders on the way the rights on them that he lacks.
func openPlace(top, path string) (*place, error) {
	p := &place{path: path}
	rel := relTo(top, path)
	if !filepath.IsLocal(rel) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errMoved}
	}
	if info, err := os.Lstat(top); err == nil {
		p.allow(nil, top, info)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		p.close()
		return nil, err
	}
	p.keep(root)
	if rel == "." {
		return p, nil
	}
	for name := range strings.SplitSeq(rel, "/") {
		if err := p.enter(name); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// enter goes on to a subfolder.
func (p *place) enter(name string) error {
	info, err := p.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: p.path, Err: errMoved}
	}
	p.allow(p.Root, name, info)
	root, err := openSame(p.Root, name, info)
	if err != nil {
		return err
	}
	p.keep(root)
	return nil
}

func (p *place) keep(root *os.Root) {
	p.Root = root
	p.back = append(p.back, func() { _ = root.Close() })
}

func (p *place) allow(root *os.Root, name string, info fs.FileInfo) {
	if back, ok := allow(root, name, info); ok {
		p.back = append(p.back, back)
	}
}

func (p *place) close() {
	for _, back := range slices.Backward(p.back) {
		back()
	}
	p.back = nil
}

// openSame opens the folder that was looked at, and no other that has taken its name.
func openSame(root *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	sub, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := sub.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = &fs.PathError{Op: "open", Path: name, Err: errMoved}
	}
	if err != nil {
		_ = sub.Close()
		return nil, err
	}
	return sub, nil
}
