//go:build unix

package shell

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// owner is the user of a file.
func owner(info os.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(stat.Uid)
	}
	return -1
}

// mayWrite reports whether the operator could make something in a folder.
func mayWrite(folder string) bool { return unix.Access(folder, unix.W_OK) == nil }

// identity tells a folder from another that later has its name.
func identity(info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(stat.Dev, " ", stat.Ino)
}
