//go:build linux

package protect

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// asOrdinaryUser does something as a user without rights, who owns a folder and all in it.
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

// openAll opens a folder and all in it, to be read and removed.
func openAll(dir string) {
	_ = filepath.WalkDir(dir, func(at string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(at, 0o755) //nolint:gosec // it is removed
		}
		return nil
	})
}

// TestRightsThatWereGivenUpKeepNothing: a command that removes the rights on a folder keeps
// nothing in it, and the folder gets that mode back.
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
		"a repository's folder":        {lib, "lib/.git", 0o555},
		"a repository's folder, bound": {lib, "lib/.git", 0o1555},
		"what came":                    {vscode, ".vscode", 0o555},
		"an older repository's folder": {"git config core.fsmonitor evil", ".git", 0o555},
		"a repository":                 {lib, "lib", 0o555},
		"a repository, shut":           {lib, "lib", 0},
		"its folder, shut":             {lib, "lib/.git", 0},
		"its folder, unlisted":         {lib, "lib/.git", 0o311},
		"its hooks, shut":              {"git init -q lib; echo evil > lib/.git/hooks/pre-commit", "lib/.git/hooks", 0},
		"around a repository":          {"mkdir x; cd x; " + lib + "cd ..", "x", 0},
		"around one, listed":           {"mkdir x; cd x; " + lib + "cd ..", "x", 0o400},
		"around one that is shut":      {"mkdir x; cd x; " + lib + "chmod 0 lib; cd ..", "x", 0o055},
		"around a bare one":            {"mkdir x; cd x; git init -q --bare b; git -C b config core.fsmonitor evil; cd ..", "x", 0},
		"around a name of the table":   {"mkdir -p .config/mise; echo evil > .config/mise/config.toml", ".config", 0},
		"a submodule's":                {"git init -q m; git -C m config core.fsmonitor evil; mkdir .git/modules; mv m/.git .git/modules/m", ".git/modules", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "")
			v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
			sh(t, dir, c.plant)
			folder := filepath.Join(dir, c.folder)
			sh(t, dir, "chmod "+fmt.Sprintf("%o", c.mode)+" "+c.folder)
			t.Cleanup(func() { openAll(dir) })
			var away []Away
			asOrdinaryUser(t, dir, func() { away = v.Leave() })
			var stat unix.Stat_t
			if err := unix.Lstat(folder, &stat); err == nil && os.FileMode(stat.Mode&0o7777) != c.mode {
				t.Errorf("the mode is %o", stat.Mode)
			}
			openAll(dir)
			if left := stays(t, dir, "evil"); len(left) > 0 || len(away) == 0 {
				t.Errorf("%q stay: %+v", left, away)
			}
		})
	}
}

// TestShutFoldersAreLookedInto: files in a folder that somebody has shut are known before a
// command opens it, and stay; a command's files there do not count as older when another opens
// it.
func TestShutFoldersAreLookedInto(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "git init -q old/mine; git -C old/mine config core.fsmonitor is-mine; chmod 0 old")
	t.Cleanup(func() { openAll(dir) })
	g := newGuard(t, dir, Paths{})
	visit := func(line string) (away []Away) {
		var v *Visit
		var err error
		asOrdinaryUser(t, dir, func() { v, err = g.Enter(t.Context(), Folders{Cwd: dir}) })
		if err != nil {
			t.Fatal(err)
		}
		sh(t, dir, line)
		asOrdinaryUser(t, dir, func() { away = v.Leave() })
		return away
	}
	if away := visit("git init -q new/lib; git -C new/lib config core.fsmonitor is-evil; chmod 0 new"); len(away) != 1 {
		t.Errorf("put away: %+v", away)
	}
	if away := visit("chmod 700 old new"); len(away) > 0 {
		t.Errorf("opened: %+v", away)
	}
	if left := append(stays(t, dir, "is-evil"), stays(t, dir, "is-mine")...); len(left) != 1 || left[0] != "old/mine/.git/config" {
		t.Errorf("%q stay", left)
	}
}

// TestWhatIsPutBackKeepsItsMode: a user who could not read it before cannot do so then.
func TestWhatIsPutBackKeepsItsMode(t *testing.T) {
	t.Parallel()
	for file, before := range map[string]string{
		"sub/.git/config": "git init -q sub", ".git/config.worktree": "cp .git/config .git/config.worktree",
		".git/rebase-merge/git-rebase-todo": "mkdir .git/rebase-merge; echo break > .git/rebase-merge/git-rebase-todo", ".git/worktrees/t/commondir": commitIn("a") + "mkdir -p .git/worktrees/t; echo ../.. > .git/worktrees/t/commondir",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, before+"; chmod 640 "+file)
			if os.Geteuid() == 0 {
				sh(t, dir, "chown 65534:65534 "+file)
			}
			want, err := os.Stat(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			v := enter(t, newGuard(t, dir, Paths{}), Folders{Cwd: dir})
			sh(t, dir, "rm "+file+"; printf '[core]\n\tfsmonitor = evil\nexec evil\n' > "+file)
			away := v.Leave()
			got, err := os.Stat(filepath.Join(dir, file))
			if err != nil || len(away) != 1 {
				t.Fatalf("%v, put away: %+v", err, away)
			}
			if is, was := got.Sys().(*syscall.Stat_t), want.Sys().(*syscall.Stat_t); got.Mode() != want.Mode() || is.Uid != was.Uid || is.Gid != was.Gid {
				t.Errorf("%v of %d:%d", got.Mode(), is.Uid, is.Gid)
			}
		})
	}
}

// TestNoModeIsSetThroughALink: if a command replaces a folder after the look at it, the
// replacement keeps its mode, also when the rights are given back.
func TestNoModeIsSetThroughALink(t *testing.T) {
	t.Parallel()
	for name, steer := range map[string]string{
		"a link":       "ln -s hook d",
		"a file":       "cp -p hook d",
		"a folder":     "mkdir -m 755 d",
		"a link above": "rmdir a/d; mkdir -m 755 b/d; rmdir a; ln -s b a",
	} {
		for after, mode := range map[bool]string{false: "before", true: "after"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				dir := newRepository(t, "echo x > hook; chmod 755 hook; mkdir d a b; chmod 477 d; mkdir a/d; chmod 477 a/d")
				path := filepath.Join(dir, "d")
				if strings.HasSuffix(name, "above") {
					path = filepath.Join(dir, "a", "d")
				}
				info, err := os.Lstat(path)
				if err != nil {
					t.Fatal(err)
				}
				s := shut{tops: []string{dir}}
				if after && !s.open(path, info) {
					t.Fatal("it is not opened")
				}
				sh(t, dir, "mv d was; "+steer)
				if !after && s.open(path, info) {
					t.Error("it is opened")
				}
				s.close()
				sh(t, dir, `for i in hook d b b/d; do if [ -e $i ]; then test $(stat -Lc %a $i) = 755; fi; done`)
			})
		}
	}
}

// TestRightsOnFoldersAboveSettings: a command that takes them away hides no settings and no
// audit log from their owner for longer than it runs.
func TestRightsOnFoldersAboveSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "state", "deep", "own", "audit.jsonl")
	if err := os.MkdirAll(filepath.Dir(log), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer openAll(dir)
	asOrdinaryUser(t, dir, func() {
		g := NewGuard(dir, Paths{Settings: []string{log}})
		visit, err := g.Enter(t.Context(), Folders{Cwd: dir})
		if err != nil {
			t.Error(err)
			return
		}
		for _, at := range []string{"state/deep/own", "state/deep", "state", "."} {
			if err := os.Chmod(filepath.Join(dir, at), 0); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.ReadFile(log); err == nil {
			t.Error("the rights on the folders do not matter")
		}
		visit.Leave()
		if _, err := os.ReadFile(log); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(filepath.Join(dir, "state", "deep")); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("%v, %v", info, err)
		}
		// What the owner keeps is as the command left it.
		visit, err = g.Enter(t.Context(), Folders{Cwd: dir})
		if err != nil {
			t.Error(err)
			return
		}
		if err := os.Chmod(filepath.Join(dir, "state"), 0o711); err != nil { //nolint:gosec // it is removed
			t.Error(err)
		}
		visit.Leave()
		if info, err := os.Stat(filepath.Join(dir, "state")); err != nil || info.Mode().Perm() != 0o711 {
			t.Errorf("%v, %v", info, err)
		}
	})
}
