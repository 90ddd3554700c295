//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file is a folder that only this process's user may enter.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm() == 0o700 && int(stat.Uid) == os.Geteuid()
}
