//go:build unix

package shell

import (
	"fmt"
	"os"
	"syscall"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
	"golang.org/x/sys/unix"
)

// supported says whether commands run on this system at all.
const supported = true

// signalNumber is 0 for an unknown name.
func signalNumber(name string) syscall.Signal { return unix.SignalNum(name) }

// owner is the user of a file; -1 if that is unknown.
func owner(info os.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(stat.Uid)
	}
	return -1
}

// mayWrite reports whether the operator may make a file in a folder.
func mayWrite(folder string) bool { return unix.Access(folder, unix.W_OK) == nil }

func folderID(info os.FileInfo) sandbox.FolderID {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return sandbox.FolderID{}
	}
	return sandbox.FolderID{Device: uint64(stat.Dev), Inode: stat.Ino} //nolint:gosec,unconvert // its type differs between systems
}

// identity tells a folder from another one that gets its name later.
func identity(info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(stat.Dev, " ", stat.Ino)
}
