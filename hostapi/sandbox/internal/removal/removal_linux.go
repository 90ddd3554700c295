package removal

import (
	"errors"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// Empty removes all entries of a folder except the names in kept, and resets its mode,
// as far as it can. It follows no link. It takes a tree apart from the top, so that depth costs
// nothing extra.
func Empty(path string, kept []string) {
	top, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) { // a command may have changed the mode; that of a link is never changed
		_ = unix.Fchmodat(unix.AT_FDCWD, path, 0o700, unix.AT_SYMLINK_NOFOLLOW)
		top, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return
	}
	defer unix.Close(top)
	_ = unix.Fchmod(top, 0o700)
	serial := 0
	for {
		left := 0
		for _, name := range Names(top) {
			if slices.Contains(kept, name) {
				continue
			}
			left++
			if unix.Unlinkat(top, name, 0) != nil {
				flatten(top, name, &serial)
			}
		}
		if left == 0 || serial > mostFolders {
			return
		}
	}
}

// mostFolders is after how many folders it gives up: the rest goes with the box, or
// stays.
const mostFolders = 1 << 20

// flatten removes a folder in top, and first moves its subfolders up into top.
func flatten(top int, name string, serial *int) {
	*serial++ // so that a folder that cannot be removed is not tried for ever
	dir, err := unix.Openat(top, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		_ = unix.Fchmodat(top, name, 0o700, unix.AT_SYMLINK_NOFOLLOW)
		dir, err = unix.Openat(top, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return
	}
	_ = unix.Fchmod(dir, 0o700)
	for _, inner := range Names(dir) {
		if unix.Unlinkat(dir, inner, 0) == nil {
			continue
		}
		for range 8 { // until a name is free
			*serial++
			err := unix.Renameat2(dir, inner, top, ".removed-"+strconv.Itoa(*serial), unix.RENAME_NOREPLACE)
			if !errors.Is(err, unix.EEXIST) {
				break
			}
		}
	}
	_ = unix.Close(dir)
	_ = unix.Unlinkat(top, name, unix.AT_REMOVEDIR)
}

// Names are the entries of an open folder, as far as they can be read.
func Names(dir int) (all []string) {
	if _, err := unix.Seek(dir, 0, 0); err != nil {
		return nil
	}
	var entries [4 << 10]byte // on the stack: most folders are empty
	for {
		n, err := unix.ReadDirent(dir, entries[:])
		if n <= 0 || err != nil {
			return all
		}
		_, _, all = unix.ParseDirent(entries[:n], -1, all)
	}
}

// Folder removes a folder with all that is in it, as far as it can.
func Folder(path string) {
	Empty(path, nil)
	_ = unix.Rmdir(path)
}
