package protect

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// steady opens the file at a name, which is no link, so that the caller acts on it whatever
// takes the name later. The descriptor gives no right to read or write. If root is nil, the
// name is a whole path.
func steady(root *os.Root, name string) (*os.File, error) {
	at := unix.AT_FDCWD
	if root != nil {
		dir, err := root.Open(".")
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		at = int(dir.Fd())
	}
	fd, err := unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// chmod sets the mode of a file that [steady] opened.
func chmod(f *os.File, mode fs.FileMode) error {
	return os.Chmod("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), mode)
}

// renameTo moves a name from one folder to another of the same file system.
func renameTo(from *os.Root, name string, to *os.Root, newName string) error {
	source, err := from.Open(".")
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := to.Open(".")
	if err != nil {
		return err
	}
	defer target.Close()
	if err := unix.Renameat(int(source.Fd()), name, int(target.Fd()), newName); err != nil {
		return &os.LinkError{Op: "rename", Old: name, New: newName, Err: err}
	}
	return nil
}
