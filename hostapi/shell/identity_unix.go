//go:build unix

package shell

import (
	"os"
	"syscall"
)

// owner is the user of a file.
func owner(info os.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(stat.Uid)
	}
	return -1
}

// identity tells a folder from another that later has its name.
func identity(info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return number(uint64(stat.Dev)) + " " + number(stat.Ino) //nolint:unconvert // its type depends on the system
}
