package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Open opens a regular file to read it piece by piece, links followed, and never
// waits for one that is something else. The error is a *[ShapeError] or of the
// file system. The caller closes the file.
func Open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	return checked(f, name, err)
}

// OpenIn is Open of a name below a root, which no link leads out of.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	return checked(f, name, err)
}

// checked is a file that was opened, if it is a regular one.
func checked(f *os.File, name string, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &ShapeError{Name: name, Mode: info.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	_ = f.SetReadDeadline(time.Now().Add(patience)) // as in Read
	return f, nil
}

// List is what a folder holds, at most most entries in no order, and never waits
// for what is no folder. whole is false where there is more.
func List(name string, most int) (entries []fs.DirEntry, whole bool, err error) {
	f, err := os.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for len(entries) <= most {
		more, err := f.ReadDir(min(most+1-len(entries), 1024))
		entries = append(entries, more...)
		if errors.Is(err, io.EOF) {
			return entries, true, nil
		}
		if err != nil {
			return entries, false, err
		}
	}
	return entries[:most], false, nil
}
