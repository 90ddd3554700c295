package files

import (
	"context"
	"io/fs"
	"os"
	"syscall"
)

// folder is an open directory of a workspace: the system's (osFolder), or another file
// system's, such as an overlay that keeps what is written apart. All methods take one
// name in it, but for beneath, and never follow a link: where a link stands, they fail
// with errLink, or act on the link itself.
type folder interface {
	close()
	// sub opens a directory in this one; "." is this one again.
	sub(name string) (folder, error)
	// beneath opens a folder below this one, through no link. ok is false if the caller
	// should open the folders one by one.
	beneath(rel string) (in folder, ok bool, err error)
	// file opens a file for reading.
	file(name string) (*os.File, error)
	// entries lists its names in order. Their types are a hint: only opening an entry tells.
	entries() ([]fs.DirEntry, error)
	lstat(name string) (*info, error)
	readlink(name string) (string, error)
	// put writes a file whole or not at all: a new one, which is an fs.ErrExist where
	// something has come, or in place of old.
	put(ctx context.Context, name, content string, old *info, how drafting) error
	mkdir(name string, mode fs.FileMode) error
	remove(name string) error // a file, or a link itself
	rmdir(name string) error  // if it is empty
	// rename moves what has a name to a name in another folder, a link itself too. What
	// stands there is replaced if replace is set, and is an fs.ErrExist otherwise. It
	// fails with errLink, and moves nothing, where something else took the place of source.
	rename(name string, source *info, to folder, newName string, replace bool) error
	// sweep removes what writes that were killed left in it.
	sweep()
}

func (d *osFolder) rename(name string, source *info, to folder, newName string, replace bool) error {
	into, ok := to.(*osFolder)
	if !ok {
		return &fs.PathError{Op: "rename", Path: name, Err: syscall.EXDEV}
	}
	if err := d.move(name, into, newName, replace); err != nil {
		return err
	}
	moved, err := into.lstat(newName)
	if err == nil && !moved.same(source) {
		_ = into.move(newName, d, name, false)
		return errLink
	}
	return nil
}
