//go:build linux

package protect

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// asOrdinaryUser does something as somebody without rights, who owns a folder and all in it.
func asOrdinaryUser(t *testing.T, dir string, do func()) {
	t.Helper()
	if os.Geteuid() != 0 { // this is one
		do()
		return
	}
	const nobody = 65534
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // somebody else looks
		t.Fatal(err)
	}
	if err := filepath.WalkDir(dir, func(at string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(at, nobody, nobody)
	}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked, so that nobody has the thread after it
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			done <- err
			return
		}
		do()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestRightsThatWereGivenUpKeepNothing: a command that takes the rights on a folder away
// keeps nothing in it, and the folder has the mode that it left.
func TestRightsThatWereGivenUpKeepNothing(t *testing.T) {
	t.Parallel()
	const vscode = "mkdir .vscode; echo evil > .vscode/tasks.json; "
	const lib = "git init -q lib; git -C lib config core.fsmonitor evil; "
	for name, c := range map[string]struct {
		plant, folder string
		mode          os.FileMode
	}{
		"the workspace":                {vscode, ".", 0o555},
		"the workspace, unlisted":      {vscode, ".", 0o311},
		"the workspace, shut":          {vscode, ".", 0o600},
		"the trash":                    {vscode + "mkdir " + Trash, Trash, 0o555},
		"a repository's folder":        {lib, "lib/.git", 0o555},
		"a repository's folder, bound": {lib, "lib/.git", 0o1555},
		"what came":                    {vscode, ".vscode", 0o555},
		"an older repository's folder": {"git config core.fsmonitor evil", ".git", 0o555},
		"a repository":                 {lib, "lib", 0o555},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			v := enter(t, NewGuard(dir, Paths{}), Folders{Cwd: dir})
			sh(t, dir, c.plant)
			folder := filepath.Join(dir, c.folder)
			sh(t, dir, "chmod "+fmt.Sprintf("%o", c.mode)+" "+c.folder)
			t.Cleanup(func() { _ = os.Chmod(dir, 0o755) }) //nolint:gosec // it is removed
			var away []Away
			asOrdinaryUser(t, dir, func() { away = v.Leave() })
			var stat unix.Stat_t
			if err := unix.Lstat(folder, &stat); err == nil && os.FileMode(stat.Mode&0o7777) != c.mode {
				t.Errorf("the mode is %o", stat.Mode)
			}
			if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // it is removed
				t.Fatal(err)
			}
			if left := stays(t, dir, "evil"); len(left) > 0 || len(away) == 0 {
				t.Errorf("%q stay: %+v", left, away)
			}
		})
	}
}
