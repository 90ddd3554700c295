package protect

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileID tells a file from others, and from itself before a change: nobody can set the time of
// a change.
type fileID struct {
	dev, ino uint64
	changed  int64 // nanoseconds since 1970
}

func idOf(path string) (fileID, error) {
	var stat syscall.Stat_t
	if err := syscall.Lstat(path, &stat); err != nil {
		return fileID{}, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	return idOfStat(&stat), nil
}

func idFrom(info fs.FileInfo) fileID {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return idOfStat(stat)
	}
	return fileID{}
}

func idOfStat(stat *syscall.Stat_t) fileID {
	return fileID{dev: stat.Dev, ino: stat.Ino, changed: stat.Ctim.Nano()}
}

// namesOf counts the names of a file.
func namesOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // it is not as wide everywhere
	}
	return 1
}

// ownAs gives a new file the owner, the group and the mode of another one. If the group cannot
// be set, it gets no rights.
func ownAs(f *os.File, info fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	is, ok := now.Sys().(*syscall.Stat_t)
	as, too := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !too:
	case is.Uid != as.Uid:
		err = f.Chown(int(as.Uid), int(as.Gid))
	case is.Gid != as.Gid && f.Chown(-1, int(as.Gid)) != nil:
		const group = 0o070
		mode &^= group
	}
	return errors.Join(err, f.Chmod(mode))
}

// near reports whether both are on one file system.
func (f fileID) near(other fileID) bool { return f.dev == other.dev }

// same reports whether both are the same file, changed or not.
func (f fileID) same(other fileID) bool { return f.dev == other.dev && f.ino == other.ino }

// String tells files apart, changed or not.
func (f fileID) String() string {
	return ":" + strconv.FormatUint(f.dev, 36) + ":" + strconv.FormatUint(f.ino, 36) + " "
}

// origin tells a file from one that has replaced it, even with the same inode number: nobody
// can set the time at which a file was made. Changes keep the origin.
type origin struct {
	dev, ino uint64
	made     int64 // nanoseconds since 1970
}

// of reports whether it is that of a file.
func (o origin) of(id fileID) bool { return o.dev == id.dev && o.ino == id.ino }

// originOf is the origin of a path, whose last link is not followed; zero if there is no file.
func originOf(path string) origin {
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &stat); err != nil {
		return origin{}
	}
	o := origin{dev: unix.Mkdev(stat.Dev_major, stat.Dev_minor), ino: stat.Ino}
	if stat.Mask&unix.STATX_BTIME != 0 {
		o.made = stat.Btime.Sec*1e9 + int64(stat.Btime.Nsec)
	}
	return o
}

// foldersIn is how many folders a folder holds, if its file system counts them; negative if
// not.
func foldersIn(folder string) int {
	var stat syscall.Stat_t
	if err := syscall.Lstat(folder, &stat); err != nil {
		return -1
	}
	return int(stat.Nlink) - 2 //nolint:gosec // a count
}
