package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
	"golang.org/x/sys/unix"
)

// A view is a root folder of its own: an empty one, into which every granted path is
// bound. Nothing else is there.

// newRoot is where a view is built before it is entered: any folder that every system
// has.
const newRoot = "/tmp"

// oldRoot is where the host's root is mounted for a moment.
const oldRoot = "/.host"

// enterView builds the view and moves the holder into it.
func (r *room) enterView(s setup, strange []int) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	outside, err := newOutsider(string(s.Temp), r.policy.Own)
	if err != nil {
		return err
	}
	r.outside = outside
	root, err := r.collect(s, strange)
	if err != nil {
		return err
	}
	if err := root.build(); err != nil {
		return err
	}
	if err := r.covers.passOn(); err != nil {
		return err
	}
	return r.matches(s)
}

// matches checks that the workspace is the folder that the host knows.
func (r *room) matches(s setup) error {
	if r.policy.Workspace == "" {
		return nil
	}
	var stat unix.Stat_t
	if err := unix.Stat(r.hangs(r.first(r.policy.Workspace)), &stat); err != nil {
		return &os.PathError{Op: "stat", Path: r.policy.Workspace, Err: err}
	}
	if stat.Dev != s.Device || stat.Ino != s.Inode {
		return fmt.Errorf("in the view %s is another folder", r.policy.Workspace)
	}
	return nil
}

// looseTree is a mount that is not attached yet, and where it goes.
type looseTree struct {
	fd   int // negative for a cover
	path string
	file bool
	pins []string // folders above a cover that commands may change
}

// collection is all parts of a view before it is built.
type collection struct {
	trees   []looseTree
	own     ownTree
	links   map[string]string // symbolic links of the root folder
	secrets []secret
	kept    kept
	covered []string // where the folder of all temporary folders is
	shared  uint64   // bytes that /dev/shm may hold

	resolver string // the resolver's file, if the host answers name queries
}

// untilPlaced is where a grant waits that lies in a folder of which each place has one
// of its own, until a place mounts it there. Only the first name on its way is in the
// place's folder, as a mount, which commands can neither move nor replace; the rest is
// of the frame.
const untilPlaced = "/run/granted"

// first is a path by its first name: in the holder's own view the links do not lead where they
// will in a place.
func (r *room) first(path string) string {
	for named, to := range r.second {
		if beneath(path, named) {
			return filepath.Join(to, strings.TrimPrefix(path, named))
		}
	}
	return path
}

// hangs is a path in the holder's own view.
func (r *room) hangs(path string) string {
	for _, at := range r.owned {
		if path != at && beneath(path, at) {
			return untilPlaced + path
		}
	}
	return path
}

// collect opens all granted paths on the host.
func (r *room) collect(s setup, strange []int) (c *collection, err error) {
	all, second := byLinks(binds(r.policy))
	r.temp = "/tmp"
	shared := "/dev/shm"
	c = &collection{shared: sharedBytes(r.policy.Limits.OrDefault()), links: map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
		"/dev/ptmx": "pts/ptmx", "/var/tmp": "/tmp",
	}}
	for _, b := range all {
		switch {
		case b.path == "/":
			return nil, errors.New("the root folder is granted as a whole")
		case b.path == r.temp:
			r.temp = "/run/tmp"
		case b.path == shared:
			shared = ""
		case beneath(b.path, "/var/tmp"):
			delete(c.links, "/var/tmp")
		}
	}
	if r.owned = []string{r.temp}; shared != "" {
		r.owned = append(r.owned, shared)
	}
	if r.policy.Own != "" {
		if c.own, err = r.takeOwn(all, string(s.Temp)); err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(b bind) bool { return beneath(b.from, homesOf(r.policy.Own)) })
	}
	r.second = second
	for named, to := range second {
		at := r.hangs(named)
		if filepath.Dir(named) == "/" || at == named {
			c.links[named] = to
		} else if !slices.Contains(r.owned, filepath.Dir(named)) { // in a folder of each place there is no other name
			c.links[at] = to
			r.grant(named)
		}
	}
	temps := filepath.Dir(resolved(string(s.Temp)))
	for _, b := range all {
		if target, err := os.Readlink(b.path); err == nil && filepath.Dir(b.path) == "/" {
			c.links[b.path] = target // /bin and its like
			continue
		}
		at := r.hangs(b.path)
		taken, err := c.take(b.from, at, b.write)
		if err != nil {
			return nil, err
		}
		if b.path == "/etc" && taken && !b.write && len(strange) > 0 {
			r.strange = estrange(c.trees[len(c.trees)-1].fd, strange[0]) == nil
		}
		if taken && at != b.path {
			r.grant(b.path)
		}
		if taken && temps != b.from && beneath(temps, b.from) {
			c.cover(filepath.Join(at, strings.TrimPrefix(temps, b.from)), at)
		}
	}
	if r.names {
		c.resolver = resolver()
	}
	c.kept = r.keeps()
	hidden := newHidings(r.policy, all)
	r.covers, r.unwatched = newCovers(hidden, unix.Geteuid() == 0 && !r.strange) // before secrets are looked for
	inEtc := knownInEtc
	if !r.strange {
		inEtc = secretsInEtc
	}
	for _, path := range inEtc() {
		c.secrets = append(c.secrets, secret{path: path})
	}
	for _, secret := range hidden.now(func(path string) string { return path }) {
		c.secrets = append(c.secrets, secret.hung(r.hangs))
	}
	if _, err := c.take(resolved(string(s.Temp)), r.temp, true); err != nil {
		return nil, err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		// Read-only protects its mode and owner; writing to a device still works.
		if _, err := c.take(resolved("/dev/"+name), "/dev/"+name, false); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// grant notes the name by which a place reaches a path.
func (r *room) grant(path string) {
	for at := range upward.From(filepath.Dir(path)) {
		if at == "/" || slices.Contains(r.owned, at) {
			break
		}
		path = at
	}
	if !slices.Contains(r.granted, path) {
		r.granted = append(r.granted, path)
	}
}

// take opens one path of the host; a missing one grants nothing.
func (c *collection) take(from, to string, write bool) (taken bool, err error) {
	fd, err := openTree(from)
	if isAbsent(err) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "open_tree", Path: from, Err: err}
	}
	less := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NODEV}
	if beneath(from, "/dev") && from != "/dev" { // a device that is granted by name works
		less.Attr_set = 0
	}
	if !write {
		less.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &less); err != nil {
		return false, &os.PathError{Op: "mount_setattr", Path: from, Err: err}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return false, &os.PathError{Op: "stat", Path: from, Err: err}
	}
	c.trees = append(c.trees, looseTree{fd: fd, path: to, file: stat.Mode&unix.S_IFMT != unix.S_IFDIR})
	return true, nil
}

// openTree opens a path that goes through no link: somebody may put one there
// meanwhile.
func openTree(path string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	return unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
}

// isAbsent reports whether a path does not exist, or is a link by now.
func isAbsent(err error) bool {
	return slices.ContainsFunc([]error{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP}, func(of error) bool { return errors.Is(err, of) })
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
	}{
		{"proc", "/proc", "", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_RDONLY},
		{"tmpfs", "/dev/shm", fmt.Sprintf("mode=1777,size=%d", c.shared), unix.MS_NOSUID | unix.MS_NODEV},
	} {
		if err := unix.Mount(m.kind, newRoot+m.at, m.kind, m.flags, m.with); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	for path, target := range c.links {
		if err := os.MkdirAll(filepath.Dir(newRoot+path), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, newRoot+path); err != nil {
			return err
		}
	}
	for _, tree := range c.trees {
		hang := tree.hang
		if tree.fd < 0 {
			hang = tree.coverTemps
		}
		if err := hang(newRoot); err != nil {
			return err
		}
	}
	if err := settingsReadOnly(newRoot); err != nil {
		return err
	}
	if err := makeCovers(newRoot); err != nil {
		return err
	}
	if err := c.kept.hang(newRoot); err != nil {
		return err
	}
	for _, secret := range c.secrets {
		if err := secret.hide(newRoot); err != nil {
			return &exposedError{secret.path, err}
		}
	}
	if err := c.own.hang(newRoot); err != nil {
		return err
	}
	if err := readOnly(newRoot, c.covered); err != nil {
		return err
	}
	if c.resolver != "" {
		hangResolver(newRoot, c.resolver)
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
	// Nobody may write the frame itself.
	frame := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &frame); err != nil {
		return fmt.Errorf("read-only root folder: %w", err)
	}
	return nil
}

// hang mounts a tree at its path below root, and makes missing folders.
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
