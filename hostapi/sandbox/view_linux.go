package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A view is a root folder of its own: an empty one, into which what the policy
// grants is bound, each at its own path. What is not granted is not there.

// newRoot is where a view is built before it is entered: any folder that is
// there on every system serves.
const newRoot = "/tmp"

// oldRoot is where the root before it hangs for a moment.
const oldRoot = "/.host"

// enterView builds the view and moves the holder into it.
func (r *room) enterView(s setup) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	outside, err := unix.Open(filepath.Dir(s.Temp), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: filepath.Dir(s.Temp), Err: err}
	}
	r.outside, r.name = outside, filepath.Base(s.Temp)
	root, err := r.collect(s)
	if err != nil {
		return err
	}
	for i, path := range root.cover {
		root.cover[i] = r.untilPlaced(path)
	}
	if err := root.build(); err != nil {
		return err
	}
	return r.matches(s)
}

// untilPlaced is where a path of /tmp is until a place brings it there.
func (r *room) untilPlaced(path string) string {
	for _, in := range r.inTemp {
		if rel, err := filepath.Rel(in.path, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(in.from, rel)
		}
	}
	return path
}

// matches: the workspace is the folder that the host knows.
func (r *room) matches(s setup) error {
	if s.Policy.Workspace == "" {
		return nil
	}
	var stat unix.Stat_t
	at := r.untilPlaced(s.Policy.Workspace)
	if err := unix.Stat(at, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: s.Policy.Workspace, Err: err}
	}
	if stat.Dev != s.Device || stat.Ino != s.Inode {
		return fmt.Errorf("in the view %s is another folder", s.Policy.Workspace)
	}
	return nil
}

// looseTree is a mount that hangs nowhere yet, and where it goes.
type looseTree struct {
	fd   int
	path string
	file bool
}

// collection is all of a view before there is one.
type collection struct {
	trees []looseTree
	links map[string]string // symbolic links of the root folder
	cover []string
}

// inTemp is a grant that lies in /tmp, where every place has a folder of its
// own: it hangs elsewhere until a place brings it there.
type inTemp struct{ from, path string }

// collect takes what is granted, as the host has it.
func (r *room) collect(s setup) (c *collection, err error) {
	c = &collection{links: map[string]string{}, cover: hidden(s.Policy)}
	all := binds(s.Policy)
	r.temp = "/tmp"
	for _, b := range all {
		switch b.path {
		case "/":
			return nil, errors.New("the root folder is granted as a whole")
		case r.temp:
			r.temp = "/run/tmp"
		}
	}
	for _, b := range all {
		if r.temp == "/tmp" && beneath(b.path, r.temp) {
			in := inTemp{from: fmt.Sprintf("/run/granted/%d", len(r.inTemp)), path: b.path}
			if err := c.take(b.from, in.from, b.write); err != nil {
				return nil, err
			}
			r.inTemp = append(r.inTemp, in)
			continue
		}
		if target, err := os.Readlink(b.path); err == nil && filepath.Dir(b.path) == "/" {
			c.links[b.path] = target // /bin and its like
			continue
		}
		if err := c.take(b.from, b.path, b.write); err != nil {
			return nil, err
		}
	}
	if err := c.take(s.Temp, r.temp, true); err != nil {
		return nil, err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := c.take("/dev/"+name, "/dev/"+name, true); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *collection) take(from, to string, write bool) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
		return nil // what is not there grants nothing
	}
	if err != nil {
		return &os.PathError{Op: "open_tree", Path: from, Err: err}
	}
	if !write {
		readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &readOnly); err != nil {
			return &os.PathError{Op: "mount_setattr", Path: from, Err: err}
		}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: from, Err: err}
	}
	c.trees = append(c.trees, looseTree{fd: fd, path: to, file: stat.Mode&unix.S_IFMT != unix.S_IFDIR})
	return nil
}

// build makes the new root and enters it.
func (c *collection) build() error {
	if err := unix.Mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=16m"); err != nil {
		return fmt.Errorf("a root folder: %w", err)
	}
	for _, dir := range []string{"/proc", "/dev", "/dev/shm", "/dev/pts", "/tmp", "/run", "/var", oldRoot} {
		if err := os.MkdirAll(newRoot+dir, 0o755); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		kind, at, with string
		flags          uintptr
		optional       bool
	}{
		{"proc", "/proc", "", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, false},
		{"tmpfs", "/dev/shm", "mode=1777", unix.MS_NOSUID | unix.MS_NODEV, false},
		{"devpts", "/dev/pts", "newinstance,ptmxmode=0666,mode=0620", unix.MS_NOSUID | unix.MS_NOEXEC, true},
	} {
		if err := unix.Mount(m.kind, newRoot+m.at, m.kind, m.flags, m.with); err != nil && !m.optional {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	for path, target := range c.links {
		if err := os.Symlink(target, newRoot+path); err != nil {
			return err
		}
	}
	for path, target := range map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
		"/dev/ptmx": "pts/ptmx", "/var/tmp": "/tmp",
	} {
		if err := os.Symlink(target, newRoot+path); err != nil {
			return err
		}
	}
	for _, tree := range c.trees {
		if err := tree.hang(newRoot); err != nil {
			return err
		}
	}
	for _, path := range c.cover {
		if err := cover(newRoot, path); err != nil {
			return err
		}
	}
	if err := unix.PivotRoot(newRoot, newRoot+oldRoot); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the root folder of the host: %w", err)
	}
	if err := os.Remove(oldRoot); err != nil {
		return err
	}
	// The frame itself is nobody's to write.
	frame := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &frame); err != nil {
		return fmt.Errorf("read-only root folder: %w", err)
	}
	return nil
}

// hang puts a tree at its path below root, with folders for it where there are
// none.
func (t looseTree) hang(root string) error {
	defer unix.Close(t.fd)
	at := root + t.path
	if _, err := os.Lstat(at); err != nil {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if t.file {
			err = os.WriteFile(at, nil, 0o444)
		} else {
			err = os.Mkdir(at, 0o755)
		}
		if err != nil {
			return err
		}
	}
	if err := unix.MoveMount(t.fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return &os.PathError{Op: "move_mount", Path: t.path, Err: err}
	}
	return nil
}

// cover puts an empty file or folder in the place of a secret. It is that of
// the frame, which is on no disk.
func cover(root, path string) error {
	info, err := os.Stat(root + path)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to hide
	}
	with := root + "/run/nothing"
	if info.IsDir() {
		with = root + "/run/empty"
		err = os.MkdirAll(with, 0o555)
	} else if _, missing := os.Lstat(with); missing != nil {
		err = os.WriteFile(with, nil, 0o444) //nolint:gosec // it is empty
	}
	if err != nil {
		return err
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, with, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return &os.PathError{Op: "open_tree", Path: with, Err: err}
	}
	defer unix.Close(fd)
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &readOnly); err != nil {
		return &os.PathError{Op: "mount_setattr", Path: with, Err: err}
	}
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, root+path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return &os.PathError{Op: "move_mount", Path: path, Err: err}
	}
	return nil
}
