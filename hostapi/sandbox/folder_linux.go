package sandbox

import "golang.org/x/sys/unix"

// emptyFolder reports whether a folder is there, is only the user's, and has
// nothing in it.
func emptyFolder(path string) bool {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil || stat.Mode&0o7777 != 0o700 {
		return false
	}
	var entries [512]byte
	n, err := unix.ReadDirent(fd, entries[:])
	if err != nil {
		return false
	}
	_, _, names := unix.ParseDirent(entries[:n], -1, nil)
	return len(names) == 0
}
