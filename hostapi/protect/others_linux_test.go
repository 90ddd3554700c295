//go:build linux

package protect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatOthersCommandsMadeIsNotTakenForKnown: commands of two processes run in a workspace,
// as two guards that know nothing of each other. A file that one guard puts away the other does
// not restore.
func TestWhatOthersCommandsMadeIsNotTakenForKnown(t *testing.T) {
	t.Parallel()
	dir := newRepository(t, "touch there; git config alias.x '!mine'; git config user.name me")
	const plant = `ln -s there .envrc; mkdir -p .git/rebase-merge; echo exec evil > .git/rebase-merge/git-rebase-todo; mkdir .vscode; echo evil > .vscode/tasks.json; git init -q lib; printf '[core]\n\tfsmonitor = evil\n' > lib/.git/config.new; mv lib/.git/config.new lib/.git/config`
	a, b := newGuard(t, dir, Paths{}), newGuard(t, dir, Paths{})
	first := enter(t, a, Folders{Cwd: dir})
	sh(t, dir, plant)
	second := enter(t, b, Folders{Cwd: dir})
	first.Leave()
	if left := stays(t, dir, "evil"); len(left) > 0 {
		t.Fatalf("%q stay", left)
	}
	sh(t, dir, plant+"; git config user.email evil") // somebody else does the last
	away := second.Leave()
	for _, left := range stays(t, dir, "evil") {
		if left != ".git/config" {
			t.Errorf("%s stays: %+v", left, away)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, ".envrc")); err == nil {
		t.Errorf(".envrc stays: %+v", away)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, ".git", "config")); !strings.Contains(string(text), "name = me") {
		t.Errorf("what was there is gone: %q", text)
	}
	third := enter(t, b, Folders{Cwd: dir})
	if b.others {
		t.Error("others are said to run that have ended")
	}
	third.Leave()
}
