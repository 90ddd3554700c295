package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// searchOnly opens a directory to go through it, which one may without the right
// to list it.
const searchOnly = unix.O_PATH

// beneath opens a folder below this one in one system call that follows no link.
// It reports false where the system has no such call.
func (d *osFolder) beneath(rel string) (folder, bool, error) {
	var f *os.File
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	err := d.with("open", rel, func(fd int) error {
		opened, err := unix.Openat2(fd, rel, how)
		if err == nil {
			f = os.NewFile(uintptr(opened), rel)
		}
		return err
	})
	switch {
	case err == nil:
		sub, err := d.below(f)
		if err != nil {
			return nil, true, err
		}
		return sub, true, nil
	case errors.Is(err, unix.ELOOP):
		return nil, true, &fs.PathError{Op: "open", Path: rel, Err: errLink}
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENAMETOOLONG):
		return nil, false, nil // an old kernel, a filter, renames at this very moment, or more than 4096 bytes
	}
	return nil, true, err
}

func renameNew(from int, name string, to int, newName string) error {
	err := unix.Renameat2(from, name, to, newName, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // a file system without it
		return renameChecked(from, name, to, newName)
	}
	return err
}

// kernelFiles are file systems whose files are the kernel's: to read one can
// wait without end, and to write one changes the machine.
var kernelFiles = []uint32{
	unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
	unix.BPF_FS_MAGIC, unix.PSTOREFS_MAGIC, unix.EFIVARFS_MAGIC, unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.DEVPTS_SUPER_MAGIC, unix.BINFMTFS_MAGIC, unix.NSFS_MAGIC,
	0x62656570, // configfs
	0x65735543, // fusectl
}

var errKernel = fmt.Errorf("%w: it is on a file system of the kernel's, such as /proc", errIrregular)

// checkFileSystem refuses a descriptor on a file system of the kernel's. Other
// mounts below a workspace are a part of it: somebody with the right to has put them there.
func checkFileSystem(f *os.File) error {
	d := &osFolder{f: f}
	return d.with("statfs", f.Name(), func(fd int) error { return checkDescriptor(fd, f.Name()) })
}

func checkDescriptor(fd int, name string) error {
	var at unix.Statfs_t
	if err := unix.Fstatfs(fd, &at); err != nil {
		return err
	}
	if slices.Contains(kernelFiles, uint32(at.Type)) {
		return &fs.PathError{Op: "open", Path: name, Err: errKernel}
	}
	return nil
}
