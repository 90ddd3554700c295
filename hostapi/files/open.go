package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	// maxFile is how much of a file is read.
	maxFile = 16 << 20
	// sniff is how much of a file is looked at to tell text from bytes.
	sniff = 8 << 10
)

var (
	errDirectory = errors.New("is a directory")
	errIrregular = errors.New("is not a regular file")
)

// open opens a regular file for reading, and never waits for one that is not.
func (w *Workspace) open(rel string) (*os.File, os.FileInfo, error) {
	f, err := w.root.OpenFile(filepath.FromSlash(rel), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, plain(rel, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = plain(rel, err)
	case info.IsDir():
		err = fmt.Errorf("%s %w; ls lists it", rel, errDirectory)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s %w", rel, errIrregular)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readAll reads a whole file of at most most bytes.
func (w *Workspace) readAll(rel string, most int64) ([]byte, error) {
	f, info, err := w.open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out bytes.Buffer
	if size := info.Size(); size > 0 && size <= most {
		out.Grow(int(size) + bytes.MinRead)
	}
	n, err := io.Copy(&out, io.LimitReader(f, most+1))
	if err != nil {
		return nil, plain(rel, err)
	}
	if n > most {
		return nil, fmt.Errorf("%s is larger than %d bytes; read a part of it with offset and limit", rel, most)
	}
	return out.Bytes(), nil
}

// isBinary reports whether the beginning of a file is no text.
func isBinary(begin []byte) bool {
	return bytes.IndexByte(begin[:min(len(begin), sniff)], 0) >= 0
}
