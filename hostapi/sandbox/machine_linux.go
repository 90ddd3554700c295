package sandbox

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Somebody may have mounted what shows the machine in a folder that is granted: in the root
// folder of a container, say. Commands write neither its settings nor its devices there.

// ofMachine are the file systems whose files are settings, or nodes of devices, of the machine.
var ofMachine = []string{
	"proc", "sysfs", "cgroup", "cgroup2", "devtmpfs", "debugfs", "tracefs", "securityfs", "configfs", "bpf", "pstore", "efivarfs",
	"selinuxfs", "smackfs", "binfmt_misc", "fusectl", "resctrl",
}

// settingsReadOnly makes such file systems below a root read-only.
func settingsReadOnly(root string) error {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	unescaped := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for line := range strings.Lines(string(mounts)) {
		mount, system, _ := strings.Cut(line, " - ")
		fields, about := strings.Fields(mount), strings.Fields(system)
		if len(fields) < 5 || len(about) == 0 || !slices.Contains(ofMachine, about[0]) {
			continue
		}
		if at := unescaped.Replace(fields[4]); beneath(at, root) {
			err := unix.MountSetattr(unix.AT_FDCWD, at, 0, &attr)
			if err != nil && !slices.ContainsFunc([]error{unix.ENOENT, unix.ENOTDIR, unix.EINVAL}, func(covered error) bool { return errors.Is(err, covered) }) {
				return &os.PathError{Op: "mount_setattr", Path: strings.TrimPrefix(at, root), Err: err}
			}
		}
	}
	return nil
}
