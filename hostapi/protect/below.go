package protect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Commands exchange folders for links while the host works, to lead it to files that they
// may not write themselves. So the host acts on a name only in a folder that it holds open,
// to which it came name by name and through no link.

// errMoved is what somebody moved between the look at it and what was to be done with it.
var errMoved = errors.New("something else stands there now")

// place is a folder that is held open, whatever comes to stand at its path.
type place struct {
	*os.Root
	path string
	back []func()
}

// openPlace opens the folder at a path below a top one, or that one, and gives its owner
// the rights on those on the way that he lacks, until it is closed.
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

// enter goes on to a folder in this one.
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

// openSame opens the folder that was looked at, and no other that stands at its name since.
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
