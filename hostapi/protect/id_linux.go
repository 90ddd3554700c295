package protect

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// fileID tells a file from others, and from itself before it was changed: nobody
// can set the time of a change.
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
	return fileID{dev: uint64(stat.Dev), ino: stat.Ino, changed: stat.Ctim.Nano()}
}

// same reports whether it is the same file, changed or not.
func (f fileID) same(other fileID) bool { return f.dev == other.dev && f.ino == other.ino }

// String tells files apart, changed or not.
func (f fileID) String() string {
	return ":" + strconv.FormatUint(f.dev, 36) + ":" + strconv.FormatUint(f.ino, 36) + " "
}
