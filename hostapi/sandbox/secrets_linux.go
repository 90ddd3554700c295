package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/upward"
	"golang.org/x/sys/unix"
)

// secret is a granted path that commands must not read.
type secret struct {
	path string // with links followed
	name string // for people; empty if it is path
	// pins are the folders on its way that commands may change: each becomes a mount,
	// so that it cannot be moved away with the secret.
	pins []string
	// links are the links on its way that commands may change, with the folders above
	// them. They become mounts too, so that they lead nowhere else.
	links []string
}

// exposedError is a secret that cannot be hidden. Without a view it would be visible
// too, so nothing is started.
type exposedError struct {
	path string
	err  error
}

func (e *exposedError) Error() string {
	return fmt.Sprintf("%s cannot be kept from commands: %v", e.path, e.err)
}

// hidings are what a policy hides in home folders, and would hide if it appeared.
type hidings struct {
	keys      []string // all names that may be a secret
	binds     []bind
	workspace string   // with links followed
	asked     []string // granted by name, and so no secrets
	held      []string // protected paths that exist
}

func newHidings(p Policy, all []bind) hidings {
	h := hidings{keys: homeKeys(p), binds: all, workspace: resolved(p.Workspace)}
	for _, place := range slices.Concat([]string{p.Workspace}, p.Read, p.Write) {
		h.asked = append(h.asked, resolved(place))
	}
	for _, path := range p.Protect {
		if _, err := os.Lstat(path); err == nil {
			h.held = append(h.held, path)
		}
	}
	return h
}

// now lists the secrets that exist, at each path at which a bind shows them; at maps a
// path to where it is looked up.
func (h hidings) now(at func(string) string) (secrets []secret) {
	for _, key := range h.keys {
		// Programs would read the target of a link, whoever made it.
		to, links, ok := followed(key, at)
		ofSystem := func(dir string) bool { return beneath(to, dir) && !beneath(key, dir) } // a link to the system's files makes no secret of them
		if !ok || beneath(h.workspace, to) || slices.ContainsFunc(systemFolders, ofSystem) {
			continue
		}
		for _, b := range h.binds {
			if !beneath(to, b.from) || to == b.from && slices.Contains(h.asked, to) {
				continue
			}
			s := secret{path: filepath.Join(b.path, strings.TrimPrefix(to, b.from)), name: key, links: h.changeable(links)}
			s.pins = above(s.path, b.path)
			if !slices.ContainsFunc(secrets, func(have secret) bool { return have.path == s.path }) {
				secrets = append(secrets, s)
			}
		}
	}
	return secrets
}

// changeable are the links that commands may change, at each path at which a bind shows
// them, with the folders above them.
func (h hidings) changeable(links []string) (paths []string) {
	for _, link := range links {
		for _, b := range h.binds {
			if b.write && link != b.from && beneath(link, b.from) {
				shown := filepath.Join(b.path, strings.TrimPrefix(link, b.from))
				paths = append(append(paths, above(shown, b.path)...), shown)
			}
		}
	}
	return paths
}

// above are the folders between a place and a path in it.
func above(path, place string) (folders []string) {
	for dir := range upward.Within(place, filepath.Dir(path)) {
		if beneath(place, dir) {
			break
		}
		folders = append(folders, dir)
	}
	slices.Reverse(folders)
	return folders
}

// followed is where the system follows a path, and the links on the way.
func followed(path string, at func(string) string) (to string, links []string, ok bool) {
	to, ok = follow(path, at, func(link string) bool {
		links = append(links, link)
		return false
	})
	return to, links, ok
}

// hung is a secret with the paths of a holder's view.
func (s secret) hung(hangs func(string) string) secret {
	hung := secret{path: hangs(s.path), name: s.name}
	for _, dir := range s.pins {
		hung.pins = append(hung.pins, hangs(dir))
	}
	for _, link := range s.links {
		hung.links = append(hung.links, hangs(link))
	}
	return hung
}

// homeKeys are the names of all possible secrets in the home folders.
func homeKeys(p Policy) (keys []string) {
	granted := p.grants()
	for _, home := range granted.homes() {
		for _, name := range keysInHome {
			keys = append(keys, filepath.Join(home, name))
		}
	}
	return keys
}

// showsHome is the workspace, or another place that the policy names, if it holds a
// home folder; empty for none.
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

// knownInEtc are the entries of /etc that are known to hold secrets.
func knownInEtc() (paths []string) {
	for _, name := range keysInEtc {
		paths = append(paths, filepath.Join("/etc", name))
	}
	paths = append(paths, "/etc/ssl/private", "/etc/pki/tls/private")
	keys, _ := filepath.Glob("/etc/ssh/ssh_host_*_key") // the pattern is a good one
	return append(paths, keys...)
}

// secretsInEtc are the known ones and, for root, who may read all files, all that not
// everybody may read.
func secretsInEtc() (paths []string) {
	paths = knownInEtc()
	if os.Geteuid() != 0 {
		return paths
	}
	_ = filepath.WalkDir("/etc", func(path string, entry fs.DirEntry, err error) error { // what can be read
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

// An empty file and an empty folder hide secrets. They lie in the view's frame, which is
// on no disk.
const (
	nothing = "/run/nothing"
	empty   = "/run/empty"
)

// makeCovers makes them in a frame that can still be written.
func makeCovers(root string) error {
	if err := os.Mkdir(root+empty, 0o555); err != nil { //nolint:gosec // it is empty
		return err
	}
	return os.WriteFile(root+nothing, nil, 0o444) //nolint:gosec // it is empty
}

// hide mounts an empty file or folder on the secret, unless it is there already.
func (s secret) hide(root string) error {
	info, err := os.Lstat(root + s.path)
	if err != nil || covered(root, info) {
		return nil //nolint:nilerr // there is nothing to hide
	}
	for _, link := range s.links {
		_ = pin(root + link) // if it fails, look hides the new target
	}
	for _, dir := range s.pins {
		if err := pin(root + dir); err != nil {
			return err
		}
	}
	if info, err = os.Lstat(root + s.path); err != nil {
		return err
	}
	with := root + nothing
	if info.IsDir() {
		with = root + empty
	}
	return bindOn(with, root+s.path, 0, true)
}

// pin makes a path a mount of its own, unless it is one: nobody in the view can then
// move, remove or replace it. A link still leads to its target.
func pin(path string) error {
	if mounted(path) {
		return nil
	}
	return bindOn(path, path, unix.AT_RECURSIVE, false)
}

// covered reports whether a file is one of the two that hide secrets.
func covered(root string, info fs.FileInfo) bool {
	return slices.ContainsFunc([]string{nothing, empty}, func(cover string) bool {
		own, err := os.Lstat(root + cover)
		return err == nil && os.SameFile(own, info)
	})
}

// mounted reports whether a path is a mount. Kernels before 5.8 cannot tell.
func mounted(path string) bool {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &stat)
	return err == nil && stat.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 && stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

// bindOn mounts from on to.
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
