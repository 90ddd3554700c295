package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
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
	for name, policy := range map[string]sandbox.Policy{
		"a file that no view can show": {Workspace: dir, Read: []string{"/dev/fd"}},
		"the same, with a network":     {Workspace: dir, Read: []string{"/dev/fd"}, Network: sandbox.NetworkLoopback},
		"no workspace":                 {},
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
	if _, err := sandbox.Open(sandbox.Policy{Workspace: dir, Read: []string{"/dev/fd"}}); err == nil {
		t.Error("nothing was in the way of the view")
	}
}
