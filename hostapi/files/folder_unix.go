//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// osFolder is an open directory of the system. Whatever happens to the path that led to
// it, it stays the directory that was opened.
type osFolder struct {
	f   *os.File
	top *osFolder // that of the workspace, where drafts have their names; nil for itself
	dev uint64    // of its file system, which is none of the kernel's
}

// openRoot opens the directory that a workspace is.
func openRoot(dir string) (*osFolder, error) {
	f, err := os.OpenFile(dir, unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &osFolder{f: f}, nil
}

func (d *osFolder) close() { _ = d.f.Close() }

// with makes a system call with the directory's descriptor, which nobody closes
// meanwhile.
func (d *osFolder) with(op, name string, do func(fd int) error) error {
	conn, err := d.f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) {
		for failed = do(int(fd)); errors.Is(failed, unix.EINTR); {
			failed = do(int(fd))
		}
	}); err != nil {
		return err
	}
	if failed != nil {
		return &fs.PathError{Op: op, Path: name, Err: failed}
	}
	return nil
}

// openat opens what a name stands for. It does not wait for the other end of a
// pipe, and takes no terminal.
func (d *osFolder) openat(name string, flags int, mode fs.FileMode) (*os.File, error) {
	var f *os.File
	err := d.with("open", name, func(fd int) error {
		opened, err := unix.Openat(fd, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, uint32(mode.Perm()))
		if err == nil {
			f = os.NewFile(uintptr(opened), name)
		}
		return err
	})
	if err == nil {
		return f, nil
	}
	// Systems disagree about the error for a link.
	if at, lerr := d.lstat(name); lerr == nil && at.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errLink}
	}
	return nil, err
}

// sub opens a directory in this one.
func (d *osFolder) sub(name string) (folder, error) {
	in, err := d.open(name)
	if err != nil {
		return nil, err // a folder that is nil, and not one of a nil pointer
	}
	return in, nil
}

func (d *osFolder) open(name string) (*osFolder, error) {
	f, err := d.openat(name, searchOnly|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return d.below(f)
}

// below is a directory that was just opened below this one, if it may be used.
func (d *osFolder) below(f *os.File) (*osFolder, error) {
	if err := checkFileSystem(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	at, err := statOf(f)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &osFolder{f: f, top: d.root(), dev: uint64(at.stat.Dev)}, nil //nolint:unconvert // it is an int32 on darwin
}

func (d *osFolder) root() *osFolder {
	if d.top == nil {
		return d
	}
	return d.top
}

// file opens a file to read, or makes one that is not there.
func (d *osFolder) file(name string) (*os.File, error) { return d.openat(name, unix.O_RDONLY, 0) }

// read reads a regular file of at most most bytes, into buf if it is large enough. It is
// looked at before it is opened, and then again, as in regular.
func (d *osFolder) read(name string, buf []byte, most int64) ([]byte, error) {
	buf = buf[:0]
	err := d.with("read", name, func(in int) error {
		var at unix.Stat_t
		if err := unix.Fstatat(in, name, &at, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if err := checkRegular(name, &info{stat: at}); err != nil {
			return err
		}
		fd, err := unix.Openat(in, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		if err := unix.Fstat(fd, &at); err != nil {
			return err
		}
		if err := checkRegular(name, &info{stat: at}); err != nil {
			return err
		}
		if uint64(at.Dev) != d.dev { //nolint:unconvert // as above; else it is on the folder's file system, which was looked at
			if err := checkDescriptor(fd, name); err != nil {
				return err
			}
		}
		for {
			if size := int64(len(buf)); size > most {
				return errLarge
			} else if room := min(max(at.Size, size)+1, most+1); int64(cap(buf)) < room {
				buf = append(make([]byte, 0, room+room/8), buf...)
			}
			n, err := unix.Read(fd, buf[len(buf):cap(buf)])
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case err != nil:
				return err
			case n <= 0:
				return nil
			}
			short := n < cap(buf)-len(buf)
			if buf = buf[:len(buf)+n]; short && int64(len(buf)) >= at.Size && int64(len(buf)) <= most {
				return nil // nothing comes after less than was asked for
			}
		}
	})
	return buf, err
}

func (d *osFolder) create(name string, mode fs.FileMode) (*os.File, error) {
	return d.openat(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, mode)
}

// entries are the names in a directory, in the order of names, with what each
// seems to be; that is only known when it is opened.
func (d *osFolder) entries() ([]fs.DirEntry, error) {
	f, err := d.openat(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	sortByName(list)
	return list, err
}

func (d *osFolder) lstat(name string) (*info, error) {
	i := &info{name: name}
	err := d.with("lstat", name, func(fd int) error { return unix.Fstatat(fd, name, &i.stat, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return nil, err
	}
	return i, nil
}

func (d *osFolder) readlink(name string) (target string, err error) {
	for size := 256; ; size *= 2 {
		buf, n := make([]byte, size), 0
		err := d.with("readlink", name, func(fd int) (err error) {
			n, err = unix.Readlinkat(fd, name, buf)
			return err
		})
		if err != nil || n < size {
			return string(buf[:max(n, 0)]), err
		}
	}
}

func (d *osFolder) mkdir(name string, mode fs.FileMode) error {
	return d.with("mkdir", name, func(fd int) error { return unix.Mkdirat(fd, name, uint32(mode.Perm())) })
}

// remove removes a file, or a link itself.
func (d *osFolder) remove(name string) error {
	return d.with("remove", name, func(fd int) error { return unix.Unlinkat(fd, name, 0) })
}

// rmdir removes a directory that is empty.
func (d *osFolder) rmdir(name string) error {
	return d.with("remove", name, func(fd int) error { return unix.Unlinkat(fd, name, unix.AT_REMOVEDIR) })
}

// move is rename, whatever it is that has the name.
func (d *osFolder) move(name string, to *osFolder, newName string, replace bool) error {
	return d.with("rename", name, func(from int) error {
		return to.with("rename", newName, func(fd int) error {
			if replace {
				return unix.Renameat(from, name, fd, newName)
			}
			return renameNew(from, name, fd, newName)
		})
	})
}

// renameChecked is renameNew where the system has none.
func renameChecked(from int, name string, to int, newName string) error {
	var at unix.Stat_t
	if err := unix.Fstatat(to, newName, &at, unix.AT_SYMLINK_NOFOLLOW); err == nil {
		return unix.EEXIST
	}
	return unix.Renameat(from, name, to, newName)
}

// info is what is known of a file.
type info struct {
	name string
	stat unix.Stat_t
}

// statOf is the info of an open file.
func statOf(f *os.File) (*info, error) {
	d := &osFolder{f: f}
	i := &info{name: f.Name()}
	if err := d.with("stat", f.Name(), func(fd int) error { return unix.Fstat(fd, &i.stat) }); err != nil {
		return nil, err
	}
	return i, nil
}

// same reports whether two are of one file.
func (i *info) same(j *info) bool { return i.stat.Dev == j.stat.Dev && i.stat.Ino == j.stat.Ino }

// unchanged reports whether a file is what it was.
func (i *info) unchanged(j *info) bool {
	return i.same(j) && i.stat.Size == j.stat.Size && i.stat.Mtim == j.stat.Mtim && i.stat.Ctim == j.stat.Ctim
}

// Name implements [fs.FileInfo].
func (i *info) Name() string { return i.name }

// Size implements [fs.FileInfo].
func (i *info) Size() int64 { return i.stat.Size }

// Mode implements [fs.FileInfo].
func (i *info) Mode() fs.FileMode {
	mode := fs.FileMode(i.stat.Mode & 0o777)
	switch i.stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}
	return mode
}

// ModTime implements [fs.FileInfo].
func (i *info) ModTime() time.Time { return time.Unix(i.stat.Mtim.Unix()) }

// IsDir implements [fs.FileInfo].
func (i *info) IsDir() bool { return i.Mode().IsDir() }

// Sys implements [fs.FileInfo].
func (i *info) Sys() any { return &i.stat }
