//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// osFolder is an open directory of the system. An [os.Root]
// keeps them below the workspace, and follows links within; so what was opened is
// compared with what stands at its name, which may not be a link. A rename
// goes by the path of its folders once more, and may follow a link there.
type osFolder struct {
	here *os.Root // this directory
	base *os.Root // the workspace
	rel  string
}

func openRoot(dir string) (*osFolder, error) {
	base, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &osFolder{here: base, base: base, rel: "."}, nil
}

func (d *osFolder) close() { _ = d.here.Close() }

// at is the info of a name, if that is the file that was opened.
func (d *osFolder) at(name string, opened fs.FileInfo) error {
	here, err := d.lstat(name)
	switch {
	case err != nil:
		return err
	case here.Mode()&fs.ModeSymlink != 0 || !os.SameFile(here.FileInfo, opened):
		return &fs.PathError{Op: "open", Path: name, Err: errLink}
	}
	return nil
}

func (d *osFolder) sub(name string) (folder, error) {
	in, err := d.open(name)
	if err != nil {
		return nil, err // a folder that is nil, and not one of a nil pointer
	}
	return in, nil
}

// root is the workspace.
func (d *osFolder) root() *osFolder { return &osFolder{here: d.base, base: d.base, rel: "."} }

func (d *osFolder) open(name string) (*osFolder, error) {
	root, err := d.here.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && name != "." {
		err = d.at(name, opened)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &osFolder{here: root, base: d.base, rel: filepath.Join(d.rel, name)}, nil
}

func (d *osFolder) beneath(string) (folder, bool, error) { return nil, false, nil }

func (d *osFolder) file(name string) (*os.File, error) {
	f, err := d.here.Open(name)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil {
		err = d.at(name, opened)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (d *osFolder) create(name string, mode fs.FileMode) (*os.File, error) {
	return d.here.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode.Perm())
}

func (d *osFolder) entries() ([]fs.DirEntry, error) {
	f, err := d.here.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	sortByName(list)
	return list, err
}

func (d *osFolder) lstat(name string) (*info, error) {
	at, err := d.here.Lstat(name)
	if err != nil {
		return nil, err
	}
	return &info{at}, nil
}

func (d *osFolder) readlink(name string) (string, error)      { return d.here.Readlink(name) }
func (d *osFolder) mkdir(name string, mode fs.FileMode) error { return d.here.Mkdir(name, mode.Perm()) }
func (d *osFolder) remove(name string) error                  { return d.here.Remove(name) }
func (d *osFolder) rmdir(name string) error                   { return d.here.Remove(name) }

// move is rename, whatever it is that has the name.
func (d *osFolder) move(name string, to *osFolder, newName string, replace bool) error {
	if _, err := to.lstat(newName); !replace && !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "rename", Path: newName, Err: fs.ErrExist}
	}
	return d.base.Rename(filepath.Join(d.rel, name), filepath.Join(to.rel, newName))
}

// info is what is known of a file.
type info struct{ fs.FileInfo }

func statOf(f *os.File) (*info, error) {
	at, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &info{at}, nil
}

func (i *info) same(j *info) bool { return os.SameFile(i.FileInfo, j.FileInfo) }

func (i *info) unchanged(j *info) bool {
	return i.same(j) && i.Size() == j.Size() && i.ModTime().Equal(j.ModTime())
}

func checkFileSystem(*os.File) error { return nil }
