//go:build linux

package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepositoriesOfOlderPartsAreJudged: a repository that a command puts together, or
// moves to its place, is new, though its files are older than the command.
func TestRepositoriesOfOlderPartsAreJudged(t *testing.T) {
	t.Parallel()
	const evil = `printf '[core]\n\tfsmonitor = evil\n' > p/config; mkdir p/objects p/refs; `
	for name, c := range map[string]struct{ made, line, file string }{
		"a bare one":               {evil, "echo ref: refs/heads/x > p/HEAD", "p/config"},
		"moved to its place":       {evil, "echo ref: refs/heads/x > p/HEAD; mkdir x; mv p x/.git", "x/.git/config"},
		"moved to an older folder": {evil + "mkdir x;", "echo ref: refs/heads/x > p/HEAD; mv p x/.git", "x/.git/config"},
		"in place of a folder":     {evil + "mkdir -p x/y n/y; mv p n/y/.git; ", "echo ref: refs/heads/x > n/y/.git/HEAD; mv x o; mv n x", "x/y/.git/config"},
		"with an index":            {"git init -q p/sub; " + evil + "git -C p init -q --separate-git-dir=$PWD/i; ", "echo ref: refs/heads/x > p/HEAD; mkdir x; mv p x/.git", "x/.git/config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t, "mkdir p; "+c.made)
			sh(t, dir, "rm -rf .git")
			g := newGuard(t, dir, Paths{})
			v := enter(t, g, Folders{Cwd: dir})
			sh(t, dir, c.line)
			away := v.Leave()
			if text, _ := os.ReadFile(filepath.Join(dir, c.file)); strings.Contains(string(text), "evil") || len(away) == 0 {
				t.Errorf("%q, %+v", text, away)
			}
		})
	}
}

// TestWhatIsExceptedIsCalledByASettingThatIsTaken: the exception that is advised for a path is
// valid in the settings, and allows it.
func TestWhatIsExceptedIsCalledByASettingThatIsTaken(t *testing.T) {
	t.Parallel()
	const made = `git init -q --separate-git-dir=$PWD/store sub; mkdir tools; ln -s real .envrc; git init -q --bare b.git;
		mkdir -p .git/modules; git init -q --separate-git-dir=$PWD/.git/modules/m m; git config include.path ../shared`
	const line = `for f in store/config b.git/config .git/modules/m/config; do printf '[core]\n\tfsmonitor = evil\n' > $f.new; mv $f.new $f; done
		echo evil > real; echo evil > shared; echo evil > .git/commondir; echo evil > tools/x.js; mkdir .zed sub/.idea .git/rebase-merge; echo exec evil > .git/rebase-merge/git-rebase-todo
		git init -q late; printf '[core]\n\tfsmonitor = evil\n' > late/.git/config; mkdir -p .config/mise`
	dir := newRepository(t, made)
	paths := Paths{Further: []string{filepath.Join(dir, "tools")}}
	v := enter(t, newGuard(t, dir, paths), Folders{Cwd: dir})
	sh(t, dir, line)
	seen := map[string]bool{}
	for _, away := range v.Leave() {
		seen[away.Path] = true
		if err := (Paths{Except: []string{away.Name()}, Further: paths.Further}).Check(dir); err != nil {
			t.Errorf("%+v: %v", away, err)
		}
	}
	for _, path := range []string{"store/config", "b.git/config", ".git/modules/m/config", "real", "shared", ".git/commondir", ".zed", "sub/.idea", ".git/rebase-merge/git-rebase-todo", "late/.git/config", ".config/mise"} {
		at := filepath.Join(dir, path)
		if by, ok := paths.Match(dir, at); ok {
			if err := (Paths{Except: []string{by.Except}}).Check(dir); err != nil {
				t.Errorf("%s: %+v: %v", path, by, err)
			}
		}
		if !seen[path] {
			t.Errorf("%s was not put away: %v", path, seen)
		}
	}
}
