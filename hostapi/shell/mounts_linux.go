package shell

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// protect gives the calling thread, which must be of no further use, a view of
// the files in which nothing can be changed but what is writable: not the
// modes, owners and times that Landlock does not look at, either. What is
// hidden seems to be empty. It returns a handle of the view for other threads
// to enter. It takes the right to mount.
func protect(writable, hidden []string, empty emptyThings) (view int, err error) {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return -1, fmt.Errorf("a mount namespace: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return -1, fmt.Errorf("private mounts: %w", err)
	}
	trees := make([]int, 0, len(writable))
	defer func() {
		for _, tree := range trees {
			_ = unix.Close(tree)
		}
	}()
	for _, path := range writable {
		tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return -1, &os.PathError{Op: "open_tree", Path: path, Err: err}
		}
		trees = append(trees, tree)
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return -1, fmt.Errorf("read-only mounts: %w", err)
	}
	for i, path := range writable {
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return -1, &os.PathError{Op: "move_mount", Path: path, Err: err}
		}
	}
	for _, path := range hidden {
		if err := empty.cover(path); err != nil {
			return -1, err
		}
	}
	name := fmt.Sprintf("/proc/self/task/%d/ns/mnt", unix.Gettid())
	view, err = unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return view, nil
}

// emptyThings are a folder and a file with nothing in them.
type emptyThings struct{ folder, file string }

// cover puts one of them in the place of what is at path, if anything is.
func (e emptyThings) cover(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to hide
	}
	with := e.file
	if info.IsDir() {
		with = e.folder
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, with, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return &os.PathError{Op: "open_tree", Path: with, Err: err}
	}
	defer unix.Close(tree)
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &readOnly); err != nil {
		return &os.PathError{Op: "mount_setattr", Path: with, Err: err}
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return &os.PathError{Op: "move_mount", Path: path, Err: err}
	}
	return nil
}

// enterView makes the calling thread see the files through a view.
func enterView(view int) error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := unix.Setns(view, unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("setns: %w", err)
	}
	return nil
}

// keptCapabilities are what root needs to work on other users' files.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID

// dropCapabilities takes from the calling thread alone what root could still
// do to the machine. Without new privileges no program gets it back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	if data[0].Permitted|data[1].Permitted == 0 {
		return nil
	}
	kept := [2]uint32{keptCapabilities, 0}
	for i := range data {
		data[i].Effective &= kept[i]
		data[i].Permitted &= kept[i]
		data[i].Inheritable = 0
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}
