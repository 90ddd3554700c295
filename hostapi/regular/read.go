// Package regular reads whole files that may be anything: settings, tool files,
// inputs. A name can stand for a pipe that nobody writes to, a device, a directory, or
// more bytes than there is memory; each is an error at once.
//
//	text, err := regular.Read("scriptrun.toml", 192<<10)
//
// The file is opened without waiting and checked through its descriptor: what was
// checked is what is read. Links are followed; [ReadIn] keeps them in a folder.
package regular

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ShapeError is a file that is not a regular one, or is too large.
type ShapeError struct {
	// Name is the file's name.
	Name string
	// Mode is its type; zero for a regular file that is too large.
	Mode fs.FileMode
	// Most is how many bytes it may have.
	Most int64
}

// Error names the file and says what it is.
func (e *ShapeError) Error() string { return e.Name + ": " + e.Reason() }

// Reason is the error without the name.
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

// patience is how long a read may take. Some files say that they are regular and keep
// their reader waiting, such as the kernel's traces.
const patience = time.Second

func read(from opener, name string, most int64) ([]byte, error) {
	f, size, err := open(from, name, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tooLarge := &ShapeError{Name: name, Most: most}
	if size > most {
		return nil, tooLarge
	}
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead)
	// The size may be out of date: one byte more than is allowed shows that.
	n, err := text.ReadFrom(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, tooLarge
	}
	return text.Bytes(), nil
}
