package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// maxFile is how much of a file is read, and how large one becomes by an edit.
	maxFile = 16 << 20
	// sniff is how much of a file is looked at to tell text from bytes.
	sniff = 8 << 10
)

var (
	errDirectory = errors.New("is a directory")
	errIrregular = errors.New("is not a regular file")
)

// aboutError is an error that names the path already.
type aboutError struct {
	path string
	err  error
	hint string
}

func (e *aboutError) Error() string { return shown(e.path) + " " + e.err.Error() + e.hint }

func (e *aboutError) Unwrap() error { return e.err }

// checkRegular refuses what is not a regular file. A link is one that has come
// since the path was resolved.
func checkRegular(name string, at *info) error {
	switch mode := at.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &aboutError{path: name, err: errDirectory, hint: "; ls lists it"}
	case mode&os.ModeSymlink != 0:
		return &changedError{name}
	}
	return &aboutError{path: name, err: errIrregular}
}

// open opens a regular file by its resolved path for reading.
func (w *Workspace) open(rel string) (*os.File, *info, error) {
	in, name, err := w.parent(rel)
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	defer in.close()
	return regular(in, name, rel)
}

// regular opens a regular file of a folder for reading, and never waits for what
// is none: a pipe, a device. Merely to open a device can do something, so that
// it is looked at before.
func regular(d folder, name, rel string) (*os.File, *info, error) {
	at, err := d.lstat(name)
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	if err := checkRegular(rel, at); err != nil {
		return nil, nil, err
	}
	f, err := d.file(name)
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	if err = checkFileSystem(f); err == nil {
		at, err = statOf(f)
	}
	if err != nil {
		err = plain(rel, err)
	} else {
		err = checkRegular(rel, at)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, at, nil
}

// readAll reads a whole file of at most most bytes, and says what it was when it
// was opened.
func (w *Workspace) readAll(rel string, most int64) ([]byte, *info, error) {
	in, name, err := w.parent(rel)
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	defer in.close()
	return readAll(in, name, rel, most)
}

func readAll(d folder, name, rel string, most int64) ([]byte, *info, error) {
	return readOnce(d, name, rel, most, func(int64) error { return nil })
}

// readOnce is readAll once ready, which is told the size of the file, returns nil.
func readOnce(d folder, name, rel string, most int64, ready func(size int64) error) ([]byte, *info, error) {
	f, at, err := regular(d, name, rel)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if at.Size() > most {
		return nil, nil, tooLarge(rel, most)
	}
	if err := ready(at.Size()); err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	if size := at.Size(); size > 0 && size <= most {
		out.Grow(int(size) + bytes.MinRead)
	}
	n, err := io.Copy(&out, io.LimitReader(f, most+1))
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	if n > most {
		return nil, nil, tooLarge(rel, most)
	}
	return out.Bytes(), at, nil
}

// errLarge is a file that is larger than what is read of one.
var errLarge = errors.New("it is too large")

func tooLarge(rel string, most int64) error {
	return &largeError{fmt.Sprintf("%s is larger than %d bytes; read it in parts with the tool read, which takes offset and limit", shown(rel), most)}
}

type largeError struct{ text string }

func (e *largeError) Error() string { return e.text }

func (e *largeError) Is(other error) bool { return other == errLarge }

// reader is a folder that reads a file with less ado than readAll, and as safely.
type reader interface {
	read(name string, buf []byte, most int64) ([]byte, error)
}

// content reads a whole file of at most most bytes, into buf if it is large enough.
func (h *held) content(name, rel string, buf []byte, most int64) ([]byte, error) {
	r, ok := h.folder.(reader)
	if !ok {
		text, _, err := readAll(h.folder, name, rel, most)
		return text, err
	}
	text, err := r.read(name, buf, most)
	switch {
	case errors.Is(err, errLarge):
		err = tooLarge(rel, most)
	case err != nil:
		err = plain(rel, err)
	}
	return text, err
}

// isUTF16 reports whether the beginning of a binary file has the mark of UTF-16.
func isUTF16(begin []byte) bool {
	return bytes.HasPrefix(begin, []byte("\xff\xfe")) || bytes.HasPrefix(begin, []byte("\xfe\xff"))
}

// binaryError is a binary file that was named to a tool that takes text.
func binaryError(given string, size int64, tool string) error {
	return fmt.Errorf("%s is a binary file of %d bytes; %s takes text", shown(given), size, tool)
}

// isBinary reports whether the beginning of a file is no text.
func isBinary(begin []byte) bool {
	return bytes.IndexByte(begin[:min(len(begin), sniff)], 0) >= 0
}
