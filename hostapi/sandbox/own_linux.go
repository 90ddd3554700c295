package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scriptrun/scriptrun/hostapi/sandbox/homes"
	"github.com/scriptrun/scriptrun/hostapi/sandbox/internal/removal"
	"golang.org/x/sys/unix"
)

// ownFolder is the policy's own folder on the host, under a name that nobody should
// know. A command can read the name in /proc/self/mountinfo and put it into links, so
// the folder is renamed when the command has ended.
type ownFolder struct {
	in            int // the folder that holds it
	device, inode uint64
	name          string // its last known name
}

// errMoved says that other programs rename a folder all the time.
var errMoved = errors.New("other programs rename it again and again")

// mostNames is how often a folder that is renamed meanwhile is looked for.
const mostNames = 1000

// findOwn opens the policy's own folder.
func findOwn(at string) (int, error) {
	for range mostNames {
		path, _, err := homes.Find(at)
		if err != nil {
			return -1, err
		}
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.ENOENT) {
			return fd, err
		}
	}
	return -1, &os.PathError{Op: "open", Path: at, Err: errMoved}
}

// hide renames the folder. One that is gone needs no name.
func (o *ownFolder) hide() error {
	for range mostNames {
		if !o.is(o.name) {
			o.name = ""
			for _, name := range removal.Names(o.in) {
				if o.is(name) {
					o.name = name
				}
			}
			if o.name == "" {
				return nil
			}
		}
		next := rand.Text()
		err := unix.Renameat2(o.in, o.name, o.in, next, unix.RENAME_NOREPLACE)
		if errors.Is(err, unix.EINVAL) { // the file system does not support the flag
			err = unix.Renameat(o.in, o.name, o.in, next)
		}
		if err == nil {
			o.name = next
			return nil
		}
		if !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("the home of commands could not be renamed: %w; clear it: scriptrun cache clear", err)
		}
	}
	return errMoved
}

// is reports whether a name stands for the folder.
func (o *ownFolder) is(name string) bool {
	var stat unix.Stat_t
	return name != "" && unix.Fstatat(o.in, name, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil && stat.Dev == o.device && stat.Ino == o.inode
}

// ownTree is the policy's own folder in a view.
type ownTree struct {
	looseTree
	covers []secret // paths at which the folder of all homes would be seen
}

// takeOwn opens the policy's own folder for the view, and tells the outsider which one
// it is.
func (r *room) takeOwn(all []bind, temp string) (own ownTree, err error) {
	at := r.policy.Own
	fd, err := findOwn(at)
	if err != nil {
		return own, err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return own, &os.PathError{Op: "stat", Path: at, Err: err}
	}
	r.outside.own.device, r.outside.own.inode = stat.Dev, stat.Ino
	own.looseTree = looseTree{path: r.hangs(at)}
	own.fd, err = unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return own, &os.PathError{Op: "open_tree", Path: at, Err: err}
	}
	top, temps := homesOf(at), filepath.Dir(resolved(temp))
	for _, b := range all {
		if beneath(top, temps) && temps != b.from && beneath(temps, b.from) {
			continue // a cover is there already
		}
		if top != b.from && beneath(top, b.from) {
			shown := filepath.Join(b.path, strings.TrimPrefix(top, b.from))
			own.covers = append(own.covers, secret{path: shown, pins: above(shown, b.path)}.hung(r.hangs))
		}
	}
	if own.path != at {
		r.grant(at)
	}
	return own, nil
}

// homesOf is the folder of all homes, of which at is one.
func homesOf(at string) string { return filepath.Dir(filepath.Dir(at)) }

// hang mounts the folder at its place, and hides what is beside it.
func (t ownTree) hang(root string) error {
	if t.path == "" {
		return nil
	}
	for _, cover := range t.covers {
		if err := coverWith(root, cover.path, cover.pins); err != nil {
			return err
		}
	}
	if err := t.looseTree.hang(root); err != nil {
		return err
	}
	paths := make([]string, len(t.covers))
	for i, cover := range t.covers {
		paths[i] = cover.path
	}
	return readOnly(root, paths)
}

// showOwn renames the policy's own folder to the name that commands use, where they
// have no view of their own.
func showOwn(at string) error {
	for range mostNames {
		path, _, err := homes.Find(at)
		if err != nil || path == at {
			return err
		}
		if err = os.Rename(path, at); !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return &os.PathError{Op: "rename", Path: at, Err: errMoved}
}

// settleOwn gives the policy's own folder its name on the host: a random one, or
// without a view the one that commands use.
func (r *room) settleOwn() error {
	const name = "hidden home"
	switch {
	case r.policy.Own == "":
		return nil
	case r.spaces.View:
		r.has(name, "another name outside after each command", "", "")
		return r.outside.hideOwn()
	}
	r.has(name, "", "a command can lead people to files in its home", "run scriptrun as root, or allow user namespaces")
	return showOwn(r.policy.Own)
}
