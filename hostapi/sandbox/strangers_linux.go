package sandbox

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Commands of root have root's rights, but only over files whose owners the namespace
// of the mount knows. A mount that shows /etc as owned by unknown users lets
// commands read what everybody may read, also of files that appear later.

// strangers is a user namespace that knows nobody but the user without rights; -1 if
// there is none. It lasts as long as this process.
var strangers = sync.OnceValue(func() int {
	nobody := []syscall.SysProcIDMap{{ContainerID: 65534, HostID: 65534, Size: 1}}
	r, err := bear(&syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_NEWUSER, UidMappings: nobody, GidMappings: nobody})
	if err != nil {
		return -1
	}
	defer func() {
		_ = r.cmd.Process.Kill() // the namespace stays with its descriptor
		r.close()
	}()
	fd, err := unix.Open("/proc/"+strconv.Itoa(r.cmd.Process.Pid)+"/ns/user", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
})

// estrange shows a tree that is not mounted yet as owned by strangers. Not every file
// system supports it, and before Linux 5.12 none does.
func estrange(tree, namespace int) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(namespace)}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return os.NewSyscallError("mount_setattr", err)
	}
	return nil
}
