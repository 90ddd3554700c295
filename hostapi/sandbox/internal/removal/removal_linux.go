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
		enable(unix.AT_FDCWD, path)
		top, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return
	}
	defer unix.Close(top)
	_ = unix.Fchmod(top, 0o700)
	serial := 0
	for {
		changed := false
		for _, name := range Names(top) {
			if slices.Contains(kept, name) {
				continue
			}
			if unix.Unlinkat(top, name, 0) == nil || flatten(top, name, &serial) {
				changed = true
			}
		}
		if serial++; !changed || serial > mostFolders {
			return
		}
	}
}

// mostFolders is after how many folders it gives up: the rest goes with the box, or
// stays.
const mostFolders = 1 << 20

// flatten removes a folder in top, and first moves its subfolders up into top. It reports
// whether anything changed.
func flatten(top int, name string, serial *int) (changed bool) {
	dir, err := unix.Openat(top, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		enable(top, name)
		dir, err = unix.Openat(top, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return false
	}
	_ = unix.Fchmod(dir, 0o700)
	for _, inner := range Names(dir) {
		if unix.Unlinkat(dir, inner, 0) == nil || lift(dir, inner, top, serial) {
			changed = true
		}
	}
	_ = unix.Close(dir)
	return unix.Unlinkat(top, name, unix.AT_REMOVEDIR) == nil || changed
}

// lift moves a folder up into top, under a free name.
func lift(dir int, name string, top int, serial *int) bool {
	allowed := false
	for range 8 {
		*serial++
		err := unix.Renameat2(dir, name, top, ".removed-"+strconv.Itoa(*serial), unix.RENAME_NOREPLACE)
		switch {
		case err == nil:
			return true
		case errors.Is(err, unix.EACCES) && !allowed: // another parent changes what is in the folder
			enable(dir, name)
			allowed = true
		case !errors.Is(err, unix.EEXIST):
			return false
		}
	}
	return false
}

// enable gives the owner of a folder all rights to it. The mode of a link is never changed.
func enable(dir int, name string) {
	if err := unix.Fchmodat(dir, name, 0o700, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.EOPNOTSUPP) {
		return
	}
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) // before Linux 6.6
	if err != nil {
		return
	}
	_ = unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o700)
	_ = unix.Close(fd)
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
