package files

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// keep gives a draft what the file has that it will replace: owner and group as
// far as the process may, mode, access list and extended attributes. What would
// lend a right to new content is not kept, as the system does when a file is
// written: set-user-ID, set-group-ID, capabilities.
func keep(draft, old *os.File, was *info) error {
	d := &osFolder{f: draft}
	mode := uint32(was.stat.Mode) & 0o777 //nolint:unconvert // its type depends on the processor
	now, err := statOf(draft)
	if err != nil {
		return err
	}
	return d.with("keep", was.name, func(fd int) error {
		if now.stat.Uid != was.stat.Uid || now.stat.Gid != was.stat.Gid {
			err := unix.Fchown(fd, int(was.stat.Uid), int(was.stat.Gid))
			if err != nil && now.stat.Gid != was.stat.Gid {
				err = unix.Fchown(fd, -1, int(was.stat.Gid))
				if err != nil { // what the group may do, another group may if everybody may
					mode &^= 0o070 &^ (mode << 3)
				}
			}
		}
		if err := keepAttributes(fd, old); err != nil {
			return err
		}
		return unix.Fchmod(fd, mode)
	})
}

// accessList is the attribute that holds a POSIX access list.
const accessList = "system.posix_acl_access"

// keepAttributes copies those that are a user's: user.*, and the access list.
func keepAttributes(fd int, old *os.File) error {
	o := &osFolder{f: old}
	return o.with("keep", old.Name(), func(from int) error {
		names, err := attributes(from)
		if errors.Is(err, unix.ENOTSUP) {
			return nil
		}
		if err != nil {
			return err
		}
		if !slices.Contains(names, accessList) { // one that the folder gave it
			if err := unix.Fremovexattr(fd, accessList); err != nil && !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.ENOTSUP) {
				return err
			}
		}
		for _, name := range names {
			if name != accessList && !strings.HasPrefix(name, "user.") {
				continue
			}
			value, err := attribute(from, name)
			if err == nil {
				err = unix.Fsetxattr(fd, name, value, 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func attributes(fd int) ([]string, error) {
	list, err := grown(func(buf []byte) (int, error) { return unix.Flistxattr(fd, buf) })
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00"), nil
}

func attribute(fd int, name string) ([]byte, error) {
	return grown(func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) })
}

// grown reads what may be larger than thought.
func grown(read func([]byte) (int, error)) ([]byte, error) {
	for size := 1 << 10; ; size *= 8 {
		buf := make([]byte, size)
		n, err := read(buf)
		if !errors.Is(err, unix.ERANGE) || size > 1<<20 {
			return buf[:max(n, 0)], err
		}
	}
}
