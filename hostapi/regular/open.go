package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Open opens a regular file, to read it piece by piece. It follows links, and never
// waits for what is not a file. The error is a *[ShapeError] or of the file system. The
// caller closes the file.
func Open(name string) (*os.File, error) {
	f, _, err := open(wholeSystem{}, name, 0)
	return f, err
}

// OpenIn is [Open] below a root, which no link leads out of.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	f, _, err := open(root, name, 0)
	return f, err
}

// open opens a regular file that will be read up to most bytes, and tells its size.
func open(from opener, name string, most int64) (f *os.File, size int64, err error) {
	f, err = from.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		// A socket cannot be opened at all: say that it is one.
		if info, statErr := from.Stat(name); statErr == nil && !info.Mode().IsRegular() && !errors.Is(err, fs.ErrPermission) {
			return nil, 0, &ShapeError{Name: name, Mode: info.Mode(), Most: most}
		}
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &ShapeError{Name: name, Mode: info.Mode(), Most: most}
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, 0, err
	}
	_ = f.SetReadDeadline(time.Now().Add(patience)) // most files have none, and need none
	return f, info.Size(), nil
}

// List returns at most most entries of a folder, in no order, and never waits for what
// is not a folder. whole is false if there are more.
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

// Each calls more for each entry of a folder, until it returns false.
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
