package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// secret is something in what is granted that commands are not to read.
type secret struct {
	path string // with links followed
	// pins are the folders on the way to it that commands may change: each is
	// made a mount of its own, so that it cannot be moved away with the secret.
	pins []string
}

// exposedError is a secret that cannot be hidden. No view at all would show it
// too, so that nothing is started.
type exposedError struct {
	path string
	err  error
}

func (e *exposedError) Error() string {
	return fmt.Sprintf("%s cannot be kept from commands: %v", e.path, e.err)
}

// secretsIn lists what is there now, at each path at which a bind shows it.
func secretsIn(p Policy) (secrets []secret) {
	for _, path := range secretsInEtc() {
		secrets = append(secrets, secret{path: path})
	}
	workspace := resolved(p.Workspace)
	var asked []string // a secret that is granted by itself is one no more
	for _, place := range slices.Concat([]string{p.Workspace}, p.Read, p.Write) {
		asked = append(asked, resolved(place))
	}
	all := binds(p)
	for _, key := range homeKeys(p) {
		// Where a link leads, whoever made it, is what programs would read.
		at, err := filepath.EvalSymlinks(key)
		ofSystem := func(dir string) bool { return beneath(at, dir) && !beneath(key, dir) } // whoever made such a link took nothing there
		if err != nil || beneath(workspace, at) || slices.ContainsFunc(systemFolders, ofSystem) {
			continue
		}
		for _, b := range all {
			if !beneath(at, b.from) || at == b.from && slices.Contains(asked, at) {
				continue
			}
			s := secret{path: filepath.Join(b.path, strings.TrimPrefix(at, b.from))}
			for dir := filepath.Dir(s.path); dir != b.path && beneath(dir, b.path); dir = filepath.Dir(dir) {
				s.pins = append(s.pins, dir)
			}
			slices.Reverse(s.pins)
			if !slices.ContainsFunc(secrets, func(have secret) bool { return have.path == s.path }) {
				secrets = append(secrets, s)
			}
		}
	}
	return secrets
}

// homeKeys are the names of all that may be a secret of the home folders.
func homeKeys(p Policy) (keys []string) {
	granted := p.grants()
	for _, home := range granted.homes() {
		for _, name := range keysInHome {
			keys = append(keys, filepath.Join(home, name))
		}
	}
	return keys
}

// showsHome is the workspace, or another place that the policy names, that holds
// a home folder; empty for none.
func (p Policy) showsHome() string {
	granted := p.grants()
	for _, place := range slices.Concat([]string{p.Workspace}, p.Read, p.Write) {
		at := resolved(place)
		if slices.ContainsFunc(granted.homes(), func(home string) bool { return beneath(home, at) }) {
			return place
		}
	}
	return ""
}

// resolved is a path with its links followed, as far as it is there.
func resolved(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

// secretsInEtc are the known ones and, for root, who may read all files,
// whatever not everybody may read.
func secretsInEtc() (paths []string) {
	for _, name := range keysInEtc {
		paths = append(paths, filepath.Join("/etc", name))
	}
	paths = append(paths, "/etc/ssl/private", "/etc/pki/tls/private")
	keys, _ := filepath.Glob("/etc/ssh/ssh_host_*_key") // the pattern is a good one
	paths = append(paths, keys...)
	if os.Geteuid() != 0 {
		return paths
	}
	_ = filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error { // what there is of it
		if err != nil {
			return nil //nolint:nilerr // the rest counts
		}
		info, err := entry.Info()
		readable := fs.FileMode(0o004)
		if entry.IsDir() {
			readable = 0o001
		}
		if err != nil || entry.Type()&fs.ModeSymlink != 0 || info.Mode()&readable != 0 {
			return nil //nolint:nilerr // it is gone
		}
		if !slices.ContainsFunc(paths, func(have string) bool { return beneath(path, have) }) {
			paths = append(paths, path)
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return paths
}

// hide puts an empty file or folder in its place. It is that of the frame,
// which is on no disk.
func (s secret) hide(root string) error {
	if _, err := os.Lstat(root + s.path); err != nil {
		return nil //nolint:nilerr // there is nothing to hide
	}
	for _, dir := range s.pins {
		if err := bindOn(root+dir, root+dir, unix.AT_RECURSIVE, false); err != nil {
			return err
		}
	}
	info, err := os.Lstat(root + s.path)
	if err != nil {
		return err
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
	return bindOn(with, root+s.path, 0, true)
}

// bindOn hangs one thing at the place of another.
func bindOn(from, to string, recursive uint, readOnly bool) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW|recursive)
	if err != nil {
		return &os.PathError{Op: "open_tree", Path: from, Err: err}
	}
	defer unix.Close(fd)
	if readOnly {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return &os.PathError{Op: "mount_setattr", Path: from, Err: err}
		}
	}
	if err := unix.MoveMount(fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return &os.PathError{Op: "move_mount", Path: to, Err: err}
	}
	return nil
}
