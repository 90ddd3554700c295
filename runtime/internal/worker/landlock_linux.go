//go:build amd64 || arm64

package worker

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fence denies the calling thread, and what it starts, every path but the program itself,
// every TCP port, and signals and abstract sockets of others, as far as the kernel's Landlock
// can. It returns what it denies.
func fence() ([]string, error) {
	abi, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case errors.Is(errno, unix.ENOSYS), errors.Is(errno, unix.EOPNOTSUPP):
		return nil, nil // a kernel without it; seccomp denies the calls
	case errno != 0:
		return nil, fmt.Errorf("landlock: %w", errno)
	}
	attr, denied := everything(int(abi))
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, path := range needs() {
		if err := allow(int(fd), path); err != nil {
			return nil, fmt.Errorf("landlock: %s: %w", path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return nil, fmt.Errorf("landlock: %w", errno)
	}
	return []string{"landlock: " + denied}, nil
}

// everything returns all that a version of Landlock can deny.
func everything(abi int) (attr unix.LandlockRulesetAttr, denied string) {
	rights := 13 // of version 1, from execute to make_sym
	switch {
	case abi >= 5:
		rights = 16
	case abi >= 3:
		rights = 15
	case abi >= 2:
		rights = 14
	}
	attr.Handled_access_fs, denied = 1<<rights-1, "no paths"
	if abi >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		denied += ", no ports"
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		denied += ", no signals"
	}
	return attr, denied
}

// needs are the paths that this program needs to start: itself, and the system's libraries
// if it is linked to any.
func needs() []string {
	paths := []string{program}
	file, err := elf.Open(program)
	if err != nil {
		return paths
	}
	defer func() { _ = file.Close() }()
	if libraries, err := file.ImportedLibraries(); err == nil && len(libraries) > 0 {
		paths = append(paths, "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
	}
	return paths
}

func allow(ruleset int, path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it needs no rule
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE, Parent_fd: int32(fd)}
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
