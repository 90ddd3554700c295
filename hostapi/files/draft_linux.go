package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed makes a draft without a name, on the file system of a folder.
func unnamed(in *osFolder, mode fs.FileMode) (*draft, error) {
	var f *os.File
	err := in.with("create", ".", func(fd int) error {
		opened, err := unix.Openat(fd, ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, uint32(mode.Perm()))
		if err == nil {
			f = os.NewFile(uintptr(opened), "new file")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &draft{f: f}, nil
}

// link gives a file that has no name one in a folder, where nothing has it.
func link(f *os.File, in *osFolder, name string) error {
	return in.with("link", name, func(to int) error {
		file := &osFolder{f: f}
		err := file.with("link", name, func(fd int) error { return unix.Linkat(fd, "", to, name, unix.AT_EMPTY_PATH) })
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) { // that takes a right that root has, before Linux 6.10
			err = file.with("link", name, func(fd int) error {
				return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), to, name, unix.AT_SYMLINK_FOLLOW)
			})
		}
		var inner *fs.PathError
		if errors.As(err, &inner) {
			return inner.Err
		}
		return err
	})
}

// publish gives a draft its place: as a new file, or in place of one. A new one
// never has another name before; one that replaces has, between two system calls.
func (d *draft) publish(in *osFolder, name string, replace bool) error {
	if d.stage == nil {
		if !replace {
			return link(d.f, in, name)
		}
		if err := d.stageFor(in); err != nil {
			return err
		}
	}
	return d.stage.move(d.name, in, name, replace)
}

// stageFor gives a draft a name in the workspace's staging folder, or, where that
// is on another file system or not to be written, in one beside the file.
func (d *draft) stageFor(in *osFolder) error {
	var failed error
	for _, at := range []*osFolder{in.root(), in} {
		stage, err := stageIn(at)
		if err != nil {
			failed = err
			continue
		}
		name := rand.Text()
		if failed = link(d.f, stage, name); failed == nil {
			d.at, d.stage, d.name = at, stage, name
			return nil
		}
		unstage(at, stage)
	}
	return failed
}

func lock(f *os.File) error {
	d := &osFolder{f: f}
	return d.with("lock", f.Name(), func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
}
