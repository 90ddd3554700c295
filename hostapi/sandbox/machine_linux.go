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

// shown is a file system of the machine at a path.
type shown struct{ path, kind string }

// shownBelow lists those at paths that a function takes.
func shownBelow(takes func(path string) bool) (all []shown, err error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	unescaped := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(mounts)) {
		mount, system, _ := strings.Cut(line, " - ")
		fields, about := strings.Fields(mount), strings.Fields(system)
		if len(fields) < 5 || len(about) == 0 || !slices.Contains(ofMachine, about[0]) {
			continue
		}
		if at := unescaped.Replace(fields[4]); takes(at) {
			all = append(all, shown{at, about[0]})
		}
	}
	return all, nil
}

// settingsReadOnly makes such file systems below a root read-only. In place of a /proc that
// somebody mounted there, which shows all processes of the machine, it puts the root's own.
func settingsReadOnly(root string) error {
	all, err := shownBelow(func(path string) bool { return beneath(path, root) })
	if err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, m := range all {
		err := unix.MountSetattr(unix.AT_FDCWD, m.path, 0, &attr)
		if info, statErr := os.Lstat(m.path); err == nil && statErr == nil && m.kind == "proc" && info.IsDir() && !beneath(m.path, root+"/proc") {
			err = bindOn(root+"/proc", m.path, 0, true)
		}
		if err != nil && !slices.ContainsFunc([]error{unix.ENOENT, unix.ENOTDIR, unix.EINVAL}, func(covered error) bool { return errors.Is(err, covered) }) {
			return &os.PathError{Op: "mount_setattr", Path: strings.TrimPrefix(m.path, root), Err: err}
		}
	}
	return nil
}

// limitMachine says what commands reach of the machine where there is no view to cover it.
func (r *room) limitMachine() {
	if r.spaces.View {
		return
	}
	places := slices.Concat([]string{r.policy.Workspace}, r.policy.Read, r.policy.Write)
	all, err := shownBelow(func(path string) bool {
		return slices.ContainsFunc(places, func(place string) bool { return place != "" && beneath(path, resolved(place)) }) && !slices.ContainsFunc(systemFolders, func(dir string) bool { return beneath(path, dir) })
	})
	if err == nil && len(all) > 0 {
		r.has("machine", "", "a command reaches the machine's "+all[0].kind+" at "+all[0].path+", and changes there what the host's user can", "unmount it, run scriptrun as root, or allow user namespaces")
	}
}
