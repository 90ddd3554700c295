package sandbox

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// kept are paths in writable places that commands must not change.
type kept struct {
	pins      []string // folders that stay where they are, parents first
	protected []string
}

// keeps are those of the policy, as paths of the holder's view.
func (r *room) keeps() (k kept) {
	for _, dir := range r.policy.Pin {
		k.pins = append(k.pins, r.hangs(dir))
	}
	// Parents come first: mounted later, a parent would cover what lies in it.
	slices.SortFunc(k.pins, strings.Compare)
	k.pins = slices.Compact(k.pins)
	for _, path := range r.policy.Protect {
		k.protected = append(k.protected, r.hangs(path))
	}
	slices.SortFunc(k.protected, strings.Compare)
	k.protected = slices.Compact(k.protected)
	return k
}

// hang makes each path a mount of its own, which can be neither moved nor replaced, and
// protected paths read-only. A protected link still leads to its target.
func (k kept) hang(root string) error {
	for _, dir := range k.pins {
		if info, err := os.Lstat(root + dir); err != nil || !info.IsDir() {
			continue // it is not there
		}
		if err := bindOn(root+dir, root+dir, unix.AT_RECURSIVE, false); err != nil {
			return &exposedError{dir, err}
		}
	}
	for _, path := range k.protected {
		info, err := os.Lstat(root + path)
		if err != nil {
			continue // it is not there
		}
		err = bindOn(root+path, root+path, unix.AT_RECURSIVE, true)
		if err != nil && info.Mode()&os.ModeSymlink == 0 { // a link is looked at again when the command has ended
			return &exposedError{path, err}
		}
	}
	return nil
}

// holdAgain makes a path read-only that has replaced a protected one. If it fails, the
// check after the command finds the change.
func holdAgain(path string) {
	var stat unix.Statfs_t
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	if info.Mode()&os.ModeSymlink != 0 {
		_ = pin(path)
		return
	}
	if unix.Statfs(path, &stat) != nil || stat.Flags&unix.ST_RDONLY != 0 {
		return
	}
	_ = bindOn(path, path, unix.AT_RECURSIVE, true)
}

// limitProtected reports whether protected paths are enforced.
func (r *room) limitProtected() {
	switch {
	case len(r.policy.Protect) == 0:
	case r.spaces.View:
		r.has("protected paths", "a view of its own, read-only there", "", "")
	default:
		r.has("protected paths", "", "a command can write what runs outside by itself, such as .git/hooks", "run scriptrun as root, or allow user namespaces")
	}
}
