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
	whole, err = Each(name, func(entry fs.DirEntry) bool {
		if len(entries) == most {
			return false
		}
		entries = append(entries, entry)
		return true
	})
	return entries, whole, err
}

// Each is List one by one, as long as it is asked for more.
func Each(name string, more func(fs.DirEntry) bool) (whole bool, err error) {
	f, err := os.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(256)
		for _, entry := range entries {
			if !more(entry) {
				return false, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}
