package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scriptrun/scriptrun/hostapi/sandbox"
)

// TestRootFolderIsNotOpened: no sandbox opens the root folder, or those of the machine, under any
// name.
func TestRootFolderIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "all")
	if err := os.Symlink("/", link); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{"/", "//", "/usr/..", link, "/proc/self/root", "/proc", "/proc/sys/kernel", "/sys", "/sys/fs/cgroup", "/dev", "/dev/fd/.."} {
		for name, policy := range map[string]sandbox.Policy{
			"workspace": {Workspace: root}, "read-only": {Workspace: root, Profile: sandbox.ProfileReadOnly},
			"write": {Workspace: dir, Write: []string{root}}, "write, read-only": {Workspace: dir, Write: []string{dir, root}, Profile: sandbox.ProfileReadOnly},
		} {
			box, err := sandbox.Open(policy)
			var refused *sandbox.RootError
			if !errors.As(err, &refused) || refused.Place != root || refused.Workspace != (policy.Workspace == root) {
				t.Errorf("%s %s: %v", name, root, err)
			}
			if err == nil {
				box.Close()
			}
		}
	}
	for _, own := range []string{"/run", "/run/", "/dev", "/usr/../dev"} {
		var refused *sandbox.RootError
		if err := (sandbox.Policy{Workspace: dir, Read: []string{dir, own}}).Check(); !errors.As(err, &refused) || refused.Place != own || !refused.Read {
			t.Errorf("read %s: %v", own, err)
		}
	}
	box, err := sandbox.Open(sandbox.Policy{Workspace: "/", Profile: sandbox.ProfileOff})
	if err != nil {
		t.Fatal(err)
	}
	box.Close()
}

// TestCommandsKeepTheirView: on a machine that makes views, what keeps one from being made starts
// no command without one.
func TestCommandsKeepTheirView(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if box := open(t, sandbox.Policy{Workspace: dir}); !whole(t, box) {
		return
	}
	long := dir // in a view it lies deeper, where its path is longer than the kernel takes
	for len(long) < 4090 {
		long = filepath.Join(long, strings.Repeat("x", min(255, 4090-len(long))))
	}
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, policy := range map[string]sandbox.Policy{
		"a folder that no view can show": {Workspace: t.TempDir(), Read: []string{long}},
		"the same, with a network":       {Workspace: t.TempDir(), Read: []string{long}, Network: sandbox.NetworkLoopback},
		"no workspace":                   {},
	} {
		box, err := sandbox.Open(policy)
		if err != nil {
			t.Log(name, err)
			continue
		}
		if !whole(t, box) {
			t.Errorf("%s: it takes the view away", name)
		}
		box.Close()
	}
	if _, err := sandbox.Open(sandbox.Policy{Workspace: t.TempDir(), Read: []string{long}}); err == nil {
		t.Error("nothing was in the way of the view")
	}
}

// TestProcIsTheirOwn: what settings name in /proc keeps no command from starting, and shows none
// the processes of others.
func TestProcIsTheirOwn(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/proc", "/proc/self", "/dev/fd", "/proc/1"} {
		dir := t.TempDir()
		box := open(t, sandbox.Policy{Workspace: dir, Read: []string{path}, Path: "/usr/bin:/bin"})
		if !whole(t, box) {
			return
		}
		if got := line(t, box, dir, "ls -d /proc/[0-9]* | wc -l; readlink /proc/self/cwd; ls "+path+" > /dev/null"); !strings.HasSuffix(got.out, dir+"\n") || len(got.out) > len(dir)+3 {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
