// Package regular reads files whole, of which nobody knows yet what they are:
// settings, tool files, inputs. A name can stand for a pipe that nobody writes
// to, a device, a directory, or more bytes than there is memory; each is an
// error at once.
//
//	text, err := regular.Read("scriptrun.toml", 192<<10)
//
// The file is opened first, without waiting, and then looked at through its
// descriptor: what was looked at is what is read. It does not say who may
// write the file, and follows symbolic links; [ReadIn] keeps them in a folder.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ShapeError is a name that can be opened and is not a regular file, or is one
// that is too large.
type ShapeError struct {
	// Name is what was to be read.
	Name string
	// Mode is what it is.
	Mode fs.FileMode
	// Most is how many bytes it may have.
	Most int64
	// Size is how many it has, as far as is known: more than Most, or 0 where
	// it is no regular file.
	Size int64
}

// Error names the file and says what it is.
func (e *ShapeError) Error() string { return e.Name + ": " + e.Reason() }

// Reason is Error without the name.
func (e *ShapeError) Reason() string {
	switch {
	case e.Mode.IsDir():
		return "this is a directory, not a file"
	case e.Mode.IsRegular():
		return fmt.Sprintf("the file is too large: it may have at most %d bytes", e.Most)
	case e.Mode&fs.ModeNamedPipe != 0:
		return "this is a named pipe, not a regular file"
	case e.Mode&fs.ModeSocket != 0:
		return "this is a socket, not a regular file"
	case e.Mode&fs.ModeDevice != 0:
		return "this is a device, not a regular file"
	}
	return "this is not a regular file"
}

// Read reads a regular file of at most most bytes. The error is a *[ShapeError]
// or of the file system.
func Read(name string, most int64) ([]byte, error) {
	return read(wholeSystem{}, name, most)
}

// ReadIn is [Read] of a file in a folder, which no symbolic link leads out of.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	return read(root, name, most)
}

// opener is an [os.Root], or the file system itself.
type opener interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Stat(name string) (fs.FileInfo, error)
}

type wholeSystem struct{}

func (wholeSystem) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (wholeSystem) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// patience is how long a file may take to give its next bytes that says it is
// regular and can be waited for, as a trace of the kernel does.
const patience = time.Second

func read(from opener, name string, most int64) ([]byte, error) {
	f, err := from.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		// A socket cannot be opened at all; what it is chooses the words only.
		if info, statErr := from.Stat(name); statErr == nil && !info.Mode().IsRegular() && !errors.Is(err, fs.ErrPermission) {
			return nil, &ShapeError{Name: name, Mode: info.Mode(), Most: most}
		}
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &ShapeError{Name: name, Mode: info.Mode(), Most: most}
	}
	if info.Size() > most {
		return nil, &ShapeError{Name: name, Mode: info.Mode(), Most: most, Size: info.Size()}
	}
	_ = f.SetReadDeadline(time.Now().Add(patience)) // most files have none, and need none
	var text bytes.Buffer
	text.Grow(int(info.Size()) + bytes.MinRead)
	// One byte more than is allowed: a size is what the file said a moment ago.
	n, err := text.ReadFrom(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, &ShapeError{Name: name, Mode: info.Mode(), Most: most, Size: n}
	}
	return text.Bytes(), nil
}
